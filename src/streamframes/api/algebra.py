"""The algebra of frame tables: DataFrames in, DataFrames out, group by group.

  a             [---------]     [--]
  b                 [---]    [----]
  union         [---------]  [-----]
  intersect         [---]       [-]
  subtract      [--]     []        |

A frame is a closed interval of whole ticks: 1 microsecond for timestamps, 1 day for dates, 1 for integers. Frames may
overlap. One with a null edge, or that ends before it starts, holds no instant and takes no part. Everything is checked
at once, and nothing runs until the result is used.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from streamframes.arguments import Columns, Groups, Instant

if TYPE_CHECKING:
    from streamframes.spark import DataFrame


def overlaps(
    a: DataFrame,
    b: DataFrame,
    *,
    by: Groups = (),
    prefix: str = "frame_",
    sides: tuple[str, str] = ("a_", "b_"),
    space: bool = False,
) -> DataFrame:
    """Each pair of a frame of `a` and a frame of `b` of the same group that share an instant.

    Parameters
    ----------
    a, b
        Tables of frames, each with the columns `{prefix}start` and `{prefix}end`.
    by
        Group columns that both have, or a mapping of names in `a` to names in `b`. A null is a group.
    prefix
        What the names of the frame columns begin with.
    sides
        What is put in front of the columns of `a` and of `b` in the result.
    space
        The frames are regions, with the columns `{prefix}low` and `{prefix}high` (or one such pair for each dimension
        of space), and must share a place too.

    Returns
    -------
    DataFrame
        The group columns, start and end (with `space`, also low and high) of what the pair shares, then all other
        columns of `a` and of `b`.
    """
    from streamframes.spark.planning import algebra

    return algebra.overlaps(a, b, by=by, prefix=prefix, sides=sides, space=space)


def intersect(a: DataFrame, b: DataFrame, *, by: Groups = (), prefix: str = "frame_") -> DataFrame:
    """The time that is in frames of `a` and in frames of `b`.

    Parameters
    ----------
    a, b, by, prefix
        As in `overlaps`.

    Returns
    -------
    DataFrame
        Disjoint stretches, each as long as possible: the group columns as named in `a`, id, start and end.
    """
    from streamframes.spark.planning import algebra

    return algebra.combine("intersect", a, b, by=by, prefix=prefix)


def union(a: DataFrame, b: DataFrame, *, by: Groups = (), prefix: str = "frame_") -> DataFrame:
    """The time that is in frames of `a` or of `b`; `union(a, a)` is the time in frames of `a`.

    Parameters
    ----------
    a, b, by, prefix
        As in `overlaps`.

    Returns
    -------
    DataFrame
        Disjoint stretches, each as long as possible: the group columns as named in `a`, id, start and end.
    """
    from streamframes.spark.planning import algebra

    return algebra.combine("union", a, b, by=by, prefix=prefix)


def subtract(a: DataFrame, b: DataFrame, *, by: Groups = (), prefix: str = "frame_") -> DataFrame:
    """The time that is in frames of `a` and in none of `b`.

    Parameters
    ----------
    a, b, by, prefix
        As in `overlaps`.

    Returns
    -------
    DataFrame
        Disjoint stretches, each as long as possible: the group columns as named in `a`, id, start and end.
    """
    from streamframes.spark.planning import algebra

    return algebra.combine("subtract", a, b, by=by, prefix=prefix)


def complement(
    a: DataFrame, *, within: DataFrame | tuple[Instant, Instant], by: Groups = (), prefix: str = "frame_"
) -> DataFrame:
    """The time of `within` that is in no frame of `a`.

    Parameters
    ----------
    a, prefix
        As in `overlaps`.
    within
        Two instants, the first and the last, for every group that has a frame in `a`; or a table of frames, whose
        groups are then those of the result. An instant is a datetime, a date, a whole number or ISO text, as the type
        of the frames' edges asks. As everywhere in Spark, text without a zone is in the session's, and a datetime
        without one in Python's.
    by
        Group columns; a mapping of names in `a` to names in `within` where that is a table.

    Returns
    -------
    DataFrame
        Disjoint stretches, each as long as possible: the group columns as named in `a`, id, start and end.
    """
    from streamframes.spark.planning import algebra

    return algebra.complement(a, within=within, by=by, prefix=prefix)


def coverage(a: DataFrame, *, by: Columns = (), prefix: str = "frame_") -> DataFrame:
    """How long each group is in frames, where time in several frames counts once.

    Parameters
    ----------
    a, prefix
        As in `overlaps`.
    by
        Group columns.

    Returns
    -------
    DataFrame
        A row for each group that has a frame, so none for an empty table: the group columns, `frames` (the number of
        disjoint stretches) and `covered` (the sum of their end - start: an interval for timestamps, days for dates).
    """
    from streamframes.spark.planning import algebra

    return algebra.coverage(a, by=by, prefix=prefix)


def at(
    frames: DataFrame,
    points: DataFrame | Iterable[Instant] | Instant,
    *,
    ts: str | None = None,
    by: Groups = (),
    prefix: str = "frame_",
    keep_outside: bool = False,
) -> DataFrame:
    """Points in time with the frames that hold them.

    Parameters
    ----------
    frames, prefix
        A table of frames, as in `overlaps`.
    points
        A table of points; or one instant or several, as in `complement`, which are looked up in every group.
    ts
        The column of a table of points that holds their instants.
    by
        Group columns that both have, or a mapping of names in `frames` to names in `points`.
    keep_outside
        Keep points in no frame, with nulls.

    Returns
    -------
    DataFrame
        The columns of `points` (for instants: the group columns and `at`), then those of the frame; once for each
        frame that holds the point.
    """
    from streamframes.spark.planning import algebra

    return algebra.at(frames, points, ts=ts, by=by, prefix=prefix, keep_outside=keep_outside)
