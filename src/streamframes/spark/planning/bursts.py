"""Bursts: rows that are searched with many windows at once; how their query is checked and planned.

rows ─ select the value ─ pack, shuffle chunks ─ search by bucket ─ alarms, runs, ...
       Catalyst                                  one state record a group
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.arguments import Columns
from streamframes.core.batch.clock import Duration
from streamframes.core.bursts.arguments import Window, search_of, thresholds_of, unit_ticks, window_of, windows_of
from streamframes.core.bursts.commands import COMMAND_LAYOUT
from streamframes.core.bursts.operator import BurstPlan
from streamframes.core.bursts.plan import ALARMS, ANY, LATEST, LEARNT, RUNS, BurstSettings, UnreadThresholds
from streamframes.core.schemes.base import Input
from streamframes.errors import InvalidArgument
from streamframes.options import Search, Stream
from streamframes.spark.columns import column, group_types, is_dataframe, scheme_input
from streamframes.spark.explain.bursts import search_steps
from streamframes.spark.planning.fill.own import FilledQuery
from streamframes.spark.planning.query import PackedRow, checked_source
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.streaming.commands import CommandColumns, check_control, commanded_results
from streamframes.spark.streaming.run import explain_stream

BURST_COMMANDS = CommandColumns(
    "bursts",
    {"action": "string", "window": "long", "threshold": "double"},
    COMMAND_LAYOUT,
    "action ('add' or 'remove'), window and threshold",
    "give other windows=",
)
_REPORTED = {
    ALARMS: ("window", "value", "threshold"),
    RUNS: ("window", "peak", "threshold"),
    LATEST: ("windows", "longest", "longest_value", "longest_threshold", "most", "most_value", "most_threshold"),
    ANY: (),
    LEARNT: ("window", "threshold"),
}


@dataclass(frozen=True)
class BurstQuery(FilledQuery[BurstPlan]):
    """Rows that are searched for bursts; `settings` are those of the core's plan, `why` is why it searches so."""

    value: Column
    settings: BurstSettings
    why: str
    control: DataFrame | None = field(default=None)
    lookup: DataFrame | None = field(default=None)

    def evaluated(self) -> tuple[Column, ...]:
        """The value that is aggregated."""
        return (self.value,)

    def operator_plan(self, row: PackedRow, output: str | None = None) -> BurstPlan:
        """The plan of the core; without an output, for runs that are to be filled."""
        if output is None and self.control is not None:
            raise InvalidArgument(
                "bursts() got control=, and its runs are to be filled; leave out control=, or write the runs and fill "
                "that table with sf.fill()"
            )
        return BurstPlan(**row, ts=self.ts, output=output or RUNS, **self.settings)

    def result(self, output: str) -> DataFrame:
        """The table or stream of alarms, runs, ..."""
        self._check_names(output)
        return self.results(make=partial(self.operator_plan, output=output))

    def carried_out(self, columns: Sequence[Column], plan: BurstPlan, schema: T.StructType) -> DataFrame:
        """The results of a plan on these rows, and on the commands beside them."""
        if self.control is None:
            return super().carried_out(columns, plan, schema)
        return commanded_results(
            self.rows, columns, self.ts, plan, self.n_buckets(), self.stream, schema, self.control, BURST_COMMANDS,
            self.lookup,
        )  # fmt: skip

    def frame_table(self) -> DataFrame:
        """The runs."""
        return self.result(RUNS)

    def explain(self) -> str:
        """Which way the rows go, which search was chosen and why, and what it may get wrong."""
        way = explain_stream(self.stream)[:-1] if self.is_stream else [SHUFFLED]
        search = search_steps(self.settings, self.clock, self.why)
        return "\n".join([f"bursts {self.describe()}", *self.packed_steps("the value"), *way, *search])

    def describe(self) -> str:
        """The query in one line."""
        windows = self.settings["windows"]
        watched = f"{len(windows)} windows from {windows[0]} to {windows[-1]}" if windows else "the windows of a table"
        return f"{self.settings['agg']} over {watched}, ts={self.ts!r}, by={list(self.by)!r}"

    def _check_names(self, output: str) -> None:
        named = self.by if output == RUNS else (*self.by, self.ts)
        clash = [name for name in named if name in _REPORTED[output]]
        if clash:
            raise InvalidArgument(
                f"bursts() reports {clash[0]!r}, but the rows are grouped or ordered by such a column; rename it"
            )


def plan_bursts(
    rows: object,
    value: str | Column | None,
    *,
    windows: Iterable[Window] | None,
    thresholds: object,
    agg: str,
    ts: Columns,
    by: Columns,
    unit: Duration | None,
    search: Search,
    prefix: str,
    stream: Stream,
) -> BurstQuery:
    """Check everything that can be checked before a job starts."""
    source = checked_source("bursts", rows, ts, by, prefix, stream)
    clock = source.clock
    ticks = unit_ticks(unit, clock)
    search_of(None, agg, 1)
    lookup = threshold_rows(thresholds, source.rows, source.by) if is_dataframe(thresholds) else None
    if lookup is None and windows is None and isinstance(thresholds, Mapping):
        windows = sorted(window_of(window, ticks, clock) for window in thresholds)
    if lookup is None and windows is None:
        raise InvalidArgument("bursts() got no windows; give them, like windows=range(4, 404, 4)")
    lengths = () if windows is None else windows_of(windows, ticks, clock)
    chosen, why = search_of(search.kind, agg, lengths[-1] if lengths else None)
    settings: BurstSettings = {
        "agg": agg,
        "windows": lengths,
        "thresholds": thresholds_of(thresholds, lengths, ticks, clock) if lookup is None else (),
        "unit": ticks,
        "search": chosen,
        "error": float(search.error),
        "error_side": search.error_side,
        "unread": None if lookup is None else UnreadThresholds(group_types(lookup, source.by), search.kind),
    }
    counted = _value(source.rows, value, agg, ticks)
    control = None if stream.control is None else check_control(stream.control, source.rows, BURST_COMMANDS)
    return BurstQuery(**vars(source), value=counted, settings=settings, why=why, control=control, lookup=lookup)


def threshold_rows(thresholds: DataFrame, rows: DataFrame, by: Sequence[str]) -> DataFrame:
    """The table of thresholds: groups as they are in the rows, windows and thresholds."""
    if thresholds.isStreaming:
        raise InvalidArgument("bursts() got a stream of thresholds; change them while it runs with control=")
    wanted = [*by, "window", "threshold"]
    missing = [name for name in wanted if name not in thresholds.columns]
    if missing:
        raise InvalidArgument(
            f"bursts() got a table of thresholds without {missing[0]!r}; it has {', '.join(thresholds.columns)} and "
            f"needs {', '.join(wanted)}, as Bursts.learnt() writes them"
        )
    kinds = {name: rows.schema[name].dataType for name in by} | {"window": T.LongType(), "threshold": T.DoubleType()}
    return thresholds.select(*(column(name).cast(kinds[name]).alias(name) for name in wanted))


def _value(rows: DataFrame, value: str | Column | None, agg: str, unit: int | None) -> Column:
    """The column that is searched."""
    if agg == "count":
        if value is None and unit is None:
            raise InvalidArgument(
                "bursts() got agg='count' without a condition, and windows of w rows always hold w; give the condition "
                "as the value, or count rows by time with unit='1 second'"
            )
        return F.lit(True) if value is None else scheme_input(rows, Input("value", value, "condition"), "bursts()")
    if value is None:
        raise InvalidArgument(f"bursts() got no value for agg={agg!r}; name a column or write an expression")
    return scheme_input(rows, Input("value", value, "number"), "bursts()")
