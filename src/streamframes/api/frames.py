"""START HERE: frames(), fill(), and the lazy value that frames() returns.

`frames()` checks its arguments at once and plans; nothing runs until the DataFrame that `.toDF()`, `.agg()`,
`.tag()` or `.fill()` returns is used. The plan is carried out by `streamframes.spark`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamframes.arguments import Columns, Expression, Groups, Measure
from streamframes.core.batch.clock import Duration
from streamframes.core.frames.edges import Move
from streamframes.core.schemes import Scheme
from streamframes.errors import InvalidArgument
from streamframes.options import Schedule, Stream, schedule_of, stream_of

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from streamframes.spark import DataFrame
    from streamframes.spark.planning.query import Query
    from streamframes.spark.scan.scan import Scan


def frames(
    rows: DataFrame | Scan,
    scheme: Scheme,
    *,
    ts: Columns,
    by: Columns = (),
    prefix: str = "frame_",
    schedule: Schedule | Duration | None = None,
    lateness: Duration | None = None,
    stream: Stream | None = None,
) -> Frames:
    """Cut rows into frames.

    Parameters
    ----------
    rows
        A Spark DataFrame, a table or a stream, or a `scan()` of files; the result is a stream if the rows are one.
    scheme
        Where to cut: `Threshold`, `Delta`, `Boundary`, `Aggregate`, `Change`, `Gap`, `Every`, `Count` or an
        `OwnScheme`.
    ts
        The column that orders rows (timestamp, timestamp_ntz, date or any integer), or a list of it and the
        columns that break ties.
    by
        Group columns; everything happens within a group.
    prefix
        What the names of the frame columns begin with.
    schedule
        When reports are expected: a period like `"20 seconds"`, or a `Schedule`.
    lateness
        How far behind the latest instant of a stream a row may come, where the rows have no watermark of their own;
        short for `stream=Stream(lateness=...)`. Without effect on tables.
    stream
        What else is known of a stream and wanted of it: punctuation, late rows, fragments; see `Stream`.

    Returns
    -------
    Frames
        A lazy value; `.toDF()`, `.agg(...)` and `.tag()` return DataFrames.
    """
    from streamframes.spark.planning.frames import plan_frames

    if not isinstance(scheme, Scheme):
        raise InvalidArgument(f"frames() got scheme={scheme!r}; give a scheme like Threshold('drop_pct > 0.3')")
    planned = schedule_of(schedule)
    options = stream_of(stream, lateness, "frames", ("fragments", "punctuations", "early", "amend_within"))
    return Frames(plan_frames(rows, scheme, ts=ts, by=by, prefix=prefix, schedule=planned, stream=options))


@dataclass(frozen=True, repr=False)
class Frames:
    """Frames that have been planned and not yet found."""

    plan: Query
    moves: tuple[Move, ...] = ()

    def toDF(self) -> DataFrame:
        """One row per frame: the group columns, id, start, end, rows and why it was closed."""
        frames = self.plan.frame_table()
        if not self.moves:
            return frames
        from streamframes.spark.planning.fill.edges import moved_frames

        return moved_frames(frames, self.moves, self.plan.prefix)

    def toArrow(self) -> pa.Table:
        """The frames as one Arrow table in this process: for results that are small."""
        return self.toDF().toArrow()

    def toPandas(self) -> pd.DataFrame:
        """The frames as a pandas DataFrame in this process: for results that are small."""
        return self.toDF().toPandas()

    def agg(self, **measures: Measure) -> DataFrame:
        """The frames with measures over their own rows: `agg(worst="max(drop_pct)")`.

        count, sum, avg, min, max, first, last and stddev of numbers (first, last and count of anything) and a `Fold`
        are computed in the pass that finds the frames; any other Spark aggregate expression by tagging and grouping.
        Frames that have been moved are filled with the rows they were found in.
        """
        if not measures:
            raise InvalidArgument("agg() got no measures; write agg(worst='max(drop_pct)')")
        return self._fill_own(measures) if self.moves else self.plan.aggregate(measures)

    def tag(self, *, keep_outside: bool = False) -> DataFrame:
        """The rows, each with the id of its frame; a row in several frames appears once for each.

        Rows in no frame are left out, or kept with a null id. Rows without an instant are left out.
        """
        if not self.moves:
            return self.plan.tag(keep_outside=keep_outside)
        if keep_outside:
            raise InvalidArgument("tag() got keep_outside=True for frames that have been moved; leave one of them out")
        return self._fill_own({})

    def expand(self, *, before: Duration | None = None, after: Duration | None = None) -> Frames:
        """The frames, each beginning earlier by `before` and ending later by `after`."""
        from streamframes.spark.planning.fill.edges import expand

        return self._with(expand(self.plan.clock, before, after))

    def move(
        self, *, start: Expression | None = None, end: Expression | None = None, lookback: Duration | None = None
    ) -> Frames:
        """The frames with other edges: Spark expressions over the columns of a frame.

        Both are computed from the frame as it was. A frame whose end lies before its start, or whose edge is null,
        holds no row. `lookback` says how far before its own start a frame may begin, where two streams meet and that
        cannot be seen from the expression.
        """
        from streamframes.spark.planning.fill.edges import check_shift, shift

        move = shift(self.plan.clock, start, end, lookback)
        check_shift(self.toDF(), move, self.plan.prefix)
        if self.plan.stream.fragments:
            raise InvalidArgument("move() got frames with fragments=True, which only grow; use expand()")
        return self._with(move)

    def split(self, *, every: Duration) -> Frames:
        """The frames cut at the multiples of `every`, counted from 1970 or 0: pieces, numbered in `frame_piece`."""
        from streamframes.spark.planning.fill.edges import split

        return self._with(split(self.plan.clock, every, self.moves))

    def fill(
        self,
        other: DataFrame | Scan,
        *,
        ts: Columns,
        by: Groups | None = None,
        keep_empty: bool = True,
        wait: bool = True,
        lateness: Duration | None = None,
        **measures: Measure,
    ) -> DataFrame:
        """The frames, each with measures of the rows of another table or stream that lie in it.

        Parameters
        ----------
        other
            The rows that fill: a table or a stream. If it or the framed rows are a stream, the result is one.
        ts
            Their instant, of the type that the frames have, or a list of it and the columns that break ties.
        by
            The group columns: names that both have, or a mapping from the frames' names to those of `other`. All
            that the frames have, unless given; with fewer, or none (`()`), a row fills frames of several groups.
        keep_empty
            Keep frames that hold no row: `count` is 0, other measures are null.
        wait
            Two streams: wait for the slower one. With `False` the watermark of the framed rows rules alone, and rows of
            `other` behind it are late.
        lateness
            How far behind its latest instant a row of the stream `other` may come, where it has no watermark.
        **measures
            Aggregates of the rows in a frame. On tables any Spark aggregate expression; on streams count, sum, avg,
            min, max, first, last, stddev and a `Fold`. Without any, the rows of `other` are returned, each with
            the `frame_id` of a frame that holds it.
        """
        from streamframes.spark.planning.fill.query import FillArguments
        from streamframes.spark.planning.fill.verbs import fill_frames

        groups = self.plan.fill_by if by is None else by
        arguments = FillArguments(ts, groups, keep_empty, measures, self.plan.prefix)
        return fill_frames(self.plan, self.moves, other, arguments, wait, lateness)

    def explain(self) -> str:
        """How the rows are read, shuffled and cut, in words."""
        moved = [f"  then      {move!r}, in ticks of ts" for move in self.moves]
        return "\n".join([self.plan.explain(), *moved])

    def _with(self, move: Move) -> Frames:
        self.plan.stream.refuse_changes("expand(), move() or split()")
        return replace(self, moves=(*self.moves, move))

    def _fill_own(self, measures: Mapping[str, Measure]) -> DataFrame:
        from streamframes.spark.planning.fill.verbs import fill_own

        return fill_own(self.plan, self.moves, measures)

    def __repr__(self) -> str:
        moved = "".join(f", {move!r}" for move in self.moves)
        return f"Frames({self.plan.describe()}{moved})"


def fill(
    frames: DataFrame | Scan,
    rows: DataFrame | Scan,
    *,
    ts: Columns,
    by: Groups = (),
    space: Columns = (),
    keep_empty: bool = True,
    lateness: Duration | None = None,
    prefix: str = "frame_",
    **measures: Measure,
) -> DataFrame:
    """Fill a table of frames, wherever it comes from, with the rows of a table or a stream that lie in them.

    The frames need the columns `frame_start` and `frame_end` of the type of `ts`, and `frame_id` where rows are to be
    tagged; they may overlap. With `space`, the column(s) of a row's place, rows must also lie between `frame_low` and
    `frame_high` (or one such pair for each dimension). The other arguments are those of `Frames.fill`.
    """
    from streamframes.spark.planning.fill.query import FillArguments
    from streamframes.spark.planning.fill.verbs import fill_frame_table

    return fill_frame_table(frames, rows, FillArguments(ts, by, keep_empty, measures, prefix, space), lateness)
