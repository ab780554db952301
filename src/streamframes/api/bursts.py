"""Bursts: many window lengths watched at once for high aggregates.

`bursts()` checks its arguments at once and plans; nothing runs until the DataFrame that `.toDF()`, `.runs()`,
`.latest()` or `.any()` leads to is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.api.frames import Frames
from streamframes.arguments import Columns
from streamframes.core.batch.clock import Duration
from streamframes.core.bursts.learning import Learn
from streamframes.errors import InvalidArgument
from streamframes.options import Search, Stream, search_of, stream_of

if TYPE_CHECKING:
    from streamframes.spark import Column, DataFrame
    from streamframes.spark.planning.bursts import BurstQuery
    from streamframes.spark.scan.scan import Scan


def bursts(
    rows: DataFrame | Scan,
    value: str | Column | None = None,
    *,
    windows: Iterable[int | Duration] | None = None,
    thresholds: Mapping[int, float] | Mapping[str, float] | Callable[[int], float] | Learn | DataFrame,
    agg: str = "sum",
    ts: Columns,
    by: Columns = (),
    unit: Duration | None = None,
    search: Search | str | None = None,
    prefix: str = "frame_",
    lateness: Duration | None = None,
    stream: Stream | None = None,
) -> Bursts:
    """Watch many window lengths at once: at each row, every window whose trailing aggregate reaches its threshold.

    Parameters
    ----------
    rows
        A Spark DataFrame, a table or a stream, or a `scan()` of files; the result is a stream if the rows are one.
    value
        The column or Spark expression that is aggregated; for `agg="count"` the condition that is counted, or none to
        count rows by time. Rows in which it is null or NaN are left out.
    windows
        Lengths in rows, ascending; with `unit`, in units, or durations like `"5 minutes"`. A mapping or a table of
        thresholds names them already.
    thresholds
        A mapping from windows to numbers, a function of the length, `Learn(sigmas=7, rows=10_000)`, or a table of
        thresholds by group: the group columns, `window` and `threshold`, as `.learnt()` gives it.
    agg
        `"sum"`, `"avg"`, `"variance"` (population), `"count"`, `"min"` or `"max"`.
    ts
        The column that orders rows, or a list of it and the columns that break ties.
    by
        Group columns; everything happens within a group.
    unit
        Sum rows (count them) into units of time first; a unit between a group's first and last row without any is 0.
    search
        `"exact"`, `"all"` (every window, in histograms of bounded size) or `"monotonic"` (the paper's bisection, an
        approximation), or a `Search` with its error. Exact unless the longest window is longer than 100,000.
    prefix
        What the names of the frame columns of runs begin with.
    lateness, stream
        How a stream is read, as for `frames()`; `Stream(control=...)` changes windows while it runs.

    Returns
    -------
    Bursts
        A lazy value; `.toDF()`, `.runs()`, `.latest()` and `.any()` give the alarms.
    """
    from streamframes.spark.planning.bursts import plan_bursts

    plan = plan_bursts(
        rows,
        value,
        windows=windows,
        thresholds=thresholds,
        agg=agg,
        ts=ts,
        by=by,
        unit=unit,
        search=search_of(search),
        prefix=prefix,
        stream=stream_of(stream, lateness, "bursts", ("control", "early")),
    )
    return Bursts(plan)


@dataclass(frozen=True, repr=False)
class Bursts:
    """A search for bursts that has been planned and not yet run."""

    plan: BurstQuery

    def toDF(self) -> DataFrame:
        """One row per alarm: the group columns, `ts`, `window`, `value` and `threshold`."""
        return self.plan.result("alarms")

    def runs(self) -> Frames:
        """Consecutive alarms of a window as frames: group, id, start, end, rows, `window`, `peak` and `threshold`.

        They can be filled, tagged, expanded and split like any frames.
        """
        return Frames(self.plan)

    def latest(self) -> DataFrame:
        """One row per row with alarms: how many `windows`, the `longest`, and the one `most` over its threshold."""
        return self.plan.result("latest")

    def any(self) -> DataFrame:
        """The rows at which any window alarms: the group columns and `ts`."""
        return self.plan.result("any")

    def learnt(self) -> DataFrame:
        """The thresholds that are learnt: the group columns, `window` and `threshold`.

        Groups with too few rows have none. Such a table, saved and read again, is `thresholds=` of another search.
        """
        if not isinstance(self.plan.settings["thresholds"], Learn):
            raise InvalidArgument("learnt() got thresholds that are given; plan the search with thresholds=Learn(...)")
        return self.plan.result("learnt")

    def explain(self) -> str:
        """Which way the rows go, which search was chosen and why, and what it may get wrong."""
        return self.plan.explain()

    def __repr__(self) -> str:
        return f"Bursts({self.plan.describe()})"
