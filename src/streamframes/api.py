"""START HERE: the verbs and the lazy values they return.

`frames()` checks its arguments at once and plans; nothing runs until the DataFrame that `.toDF()`, `.agg()` or
`.tag()` returns is used. The plan is carried out by `streamframes.spark`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamframes.core.clock import Duration
from streamframes.core.schemes import Scheme
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.spark import DataFrame, SparkSession
    from streamframes.spark.framing import Framing


def frames(
    rows: DataFrame,
    scheme: Scheme,
    *,
    ts: str | Sequence[str],
    by: str | Sequence[str] = (),
    prefix: str = "frame_",
    schedule: Duration | None = None,
    schedule_offset: Any = None,
    jitter: Duration | None = None,
    missing: str | None = None,
    open_on: str | None = None,
    lateness: Duration | None = None,
    punctuation: Any = None,
    punctuation_all: Any = None,
    fragments: bool = False,
    late: str = "count",
    punctuations: bool = False,
) -> Frames:
    """Cut rows into frames.

    Parameters
    ----------
    rows
        A Spark DataFrame, a table or a stream; the result is what the rows are.
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
    schedule, schedule_offset, jitter
        Reports are expected at multiples of `schedule`, counted from each group's first report or from
        `schedule_offset`, and may deviate by `jitter`.
    missing
        What a missing report does: `"ends"` the frame (the default), `"holds"` it open, or counts as `"true"` or
        `"false"` (Threshold only).
    open_on
        `"real"`: a report that was made up does not open a frame.

    lateness
        How far behind the latest instant of a stream a row may come, where the rows have no watermark of their own.
        Without effect on tables.
    punctuation, punctuation_all
        Conditions: a row that satisfies one is no data but says that all rows of its group, or of all groups, up to
        its instant have been seen.
    fragments
        Report what is certain of a frame before it ends, and again whenever it has grown.
    late
        What a row does that comes too late: it is counted (`"count"`), or stops the query (`"fail"`).
    punctuations
        Add rows with a null id that say of each group what is known: no further frame starts before their start, and
        all frames that end up to their end have been reported.

    Returns
    -------
    Frames
        A lazy value; `.toDF()`, `.agg(...)` and `.tag()` return DataFrames.
    """
    from streamframes.spark.framing import plan_frames

    if not isinstance(scheme, Scheme):
        raise InvalidArgument(f"frames() got scheme={scheme!r}; give a scheme like Threshold('drop_pct > 0.3')")
    plan = plan_frames(
        rows,
        scheme,
        ts=ts,
        by=by,
        prefix=prefix,
        schedule={
            "schedule": schedule,
            "schedule_offset": schedule_offset,
            "jitter": jitter,
            "missing": missing,
            "open_on": open_on,
        },
        stream={
            "lateness": lateness,
            "punctuation": punctuation,
            "punctuation_all": punctuation_all,
            "fragments": fragments,
            "late": late,
            "punctuations": punctuations,
        },
    )
    return Frames(plan)


@dataclass(frozen=True, repr=False)
class Frames:
    """Frames that have been planned and not yet found."""

    plan: Framing

    def toDF(self) -> DataFrame:
        """One row per frame: the group columns, id, start, end, rows and why it was closed."""
        return self.plan.frame_table(())

    def agg(self, **measures: Any) -> DataFrame:
        """The frames with measures over their own rows: `agg(worst="max(drop_pct)")`.

        count, sum, avg, min, max, first, last and stddev of numbers (first, last and count of anything) are
        computed in the pass that finds the frames; any other Spark aggregate expression by tagging and grouping.
        """
        if not measures:
            raise InvalidArgument("agg() got no measures; write agg(worst='max(drop_pct)')")
        return self.plan.aggregate(measures)

    def tag(self, *, keep_outside: bool = False) -> DataFrame:
        """The rows, each with the id of its frame; a row in several frames appears once for each.

        Rows in no frame are left out, or kept with a null id. Rows without an instant are left out.
        """
        return self.plan.tag(keep_outside=keep_outside)

    def explain(self) -> str:
        """Which way the rows go, in words."""
        return self.plan.explain()

    def __repr__(self) -> str:
        return f"Frames({self.plan.describe()})"


def session(name: str = "streamframes", *, master: str = "local[*]", **settings: str) -> SparkSession:
    """A local Spark session with the settings that the library gains from.

    Any session will do for tables; this one saves a newcomer the settings. Further ones are given with `_` for
    `.`: `session(spark_sql_shuffle_partitions="8")`.
    """
    from streamframes.spark.session import session as build

    return build(name, master=master, **settings)
