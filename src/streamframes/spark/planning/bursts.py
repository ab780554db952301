"""Searches for bursts: everything is checked before a job starts; then tables and streams go the ways of frames.

rows ─ select the value ─ pack, shuffle chunks ─ search by bucket ─ alarms, runs, ...
       Catalyst           as frames do          one state record a group
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock
from streamframes.core.bursts.arguments import check_error, search_of, thresholds_of, unit_ticks, window_of, windows_of
from streamframes.core.bursts.learning import Learn
from streamframes.core.bursts.operator import BurstPlan
from streamframes.core.bursts.plan import ALARMS, ANY, LATEST, LEARNT, RUNS
from streamframes.core.bursts.thresholds import GroupTable
from streamframes.core.schemes.base import Input
from streamframes.errors import InvalidArgument
from streamframes.spark.planning.run import table_frames
from streamframes.spark.columns import arrow_type, check_beginning, clock_of, column, order_and_groups, scheme_input
from streamframes.spark.explain.bursts import explained
from streamframes.spark.planning.threshold_tables import read_thresholds
from streamframes.spark.session import buckets_for, require_dataframe
from streamframes.spark.streaming.commands import BURST_ORDERS, check_control, controlled
from streamframes.spark.streaming.run import StreamOptions, check_options, stream_frames, without_punctuation

_TOLD = {
    ALARMS: ("window", "value", "threshold"),
    RUNS: ("window", "peak", "threshold"),
    LATEST: ("windows", "longest", "longest_value", "longest_threshold", "most", "most_value", "most_threshold"),
    ANY: (),
    LEARNT: ("window", "threshold"),
}


@dataclass(frozen=True)
class BurstQuery:
    """A search for bursts: what is known before anything runs. It has what `Frames` needs of a framing."""

    rows: DataFrame
    value: Column
    clock: Clock
    ts: str
    ties: tuple[str, ...]
    by: tuple[str, ...]
    settings: Mapping[str, Any]
    why: str
    options: StreamOptions
    prefix: str
    control: DataFrame | None = field(default=None)

    @property
    def is_stream(self) -> bool:
        """Whether the rows are a stream."""
        return bool(self.rows.isStreaming)

    @property
    def data(self) -> DataFrame:
        """The rows that are data."""
        return without_punctuation(self.rows, self.options)

    @property
    def space(self) -> tuple[str, ...]:
        """Frames have no place."""
        return ()

    @property
    def fill_by(self) -> tuple[str, ...]:
        """Rows belong to the frames of their group."""
        return self.by

    def n_buckets(self) -> int:
        """How many buckets the groups are hashed onto."""
        return buckets_for(self.rows, self.by)

    def result(self, output: str) -> DataFrame:
        """The table or stream of alarms, runs, ..."""
        self._check_names(output)
        columns, plan = self.planned(output=output)
        schema = self.result_types(plan)
        if not self.is_stream:
            return table_frames(self.data.select(*columns), plan, self.n_buckets(), schema)
        if self.control is not None:
            return controlled(self, self.control, BURST_ORDERS, columns, plan, schema)
        return stream_frames(self.rows, columns, self.ts, plan, self.n_buckets(), self.options, schema)

    def frame_table(self, measures: Sequence[Any] = ()) -> DataFrame:
        """The runs; measures are filled in, not found on the way."""
        return self.result(RUNS)

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The runs with measures over the rows they hold."""
        from streamframes.spark.planning.fill.verbs import fill_own

        return fill_own(self, (), measures)

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of the runs they are in."""
        from streamframes.spark.planning.fill.verbs import fill_own

        if keep_outside:
            raise InvalidArgument("tag() got keep_outside=True for runs of bursts, which overlap; leave it out")
        return fill_own(self, (), {})

    def planned(self, extra: Sequence[Column] = (), *, output: str | None = None) -> tuple[list[Column], BurstPlan]:
        """The columns that travel, and the plan of the core for them; without an output, runs that are to be filled."""
        if output is None and self.control is not None:
            raise InvalidArgument(
                "bursts() got control=, and its runs are to be filled; leave out control=, or write the runs and fill "
                "that table with sf.fill()"
            )
        chosen = [*map(column, (*self.by, self.ts, *self.ties)), self.value, *extra]
        columns = [each.alias(f"__sf_{i}") for i, each in enumerate(chosen)]
        kinds = [arrow_type(each.dataType) for each in self.rows.select(*columns).schema]
        n_keys = len(self.by)
        plan = BurstPlan(
            clock=self.clock,
            keys=pa.schema(list(zip(self.by, kinds[:n_keys], strict=True))),
            ts_type=kinds[n_keys],
            columns=tuple(kinds[n_keys + 1 :]),
            ts=self.ts,
            n_ties=len(self.ties),
            prefix=self.prefix,
            output=output or RUNS,
            **self.settings,
        )
        return columns, plan

    def result_types(self, plan: BurstPlan, measures: Sequence[Any] = ()) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        known = {each.name: each.dataType for each in self.rows.schema}
        kinds: dict[str, T.DataType] = {name: known[name] for name in (*self.by, self.ts)}
        kinds |= {f"{self.prefix}{name}": known[self.ts] for name in ("start", "end")}
        kinds[f"{self.prefix}closed_by"] = T.StringType()
        doubles = ("value", "threshold", "peak")
        return T.StructType(
            [
                T.StructField(name, kinds.get(name, T.DoubleType() if name.endswith(doubles) else T.LongType()))
                for name in plan.result_schema.names
            ]
        )

    def explain(self) -> str:
        """Which way the rows go."""
        return explained(self)

    def describe(self) -> str:
        """The plan in one line."""
        windows = self.settings["windows"]
        told = f"{len(windows)} windows from {windows[0]} to {windows[-1]}"
        return f"{self.settings['agg']} over {told}, ts={self.ts!r}, by={list(self.by)!r}"

    def _check_names(self, output: str) -> None:
        clash = [
            name for name in (*self.by, self.ts) if name in _TOLD[output] and not (name == self.ts and output == RUNS)
        ]
        if clash:
            raise InvalidArgument(
                f"bursts() tells of {clash[0]!r}, but the rows are grouped or ordered by such a column; rename it"
            )


def plan_bursts(
    rows: Any,
    value: Any,
    *,
    windows: Any,
    thresholds: Any,
    agg: Any,
    ts: str | Sequence[str],
    by: str | Sequence[str],
    unit: Any,
    search: Any,
    error: Any,
    side: Any,
    prefix: str,
    control: Any,
    stream: Mapping[str, Any],
) -> BurstQuery:
    """Check everything that can be checked before a job starts."""
    require_dataframe(rows, "bursts")
    order, groups = order_and_groups(rows, ts, by, "bursts")
    check_beginning(prefix, "bursts")
    clock = clock_of(rows.schema[order[0]].dataType, order[0], "bursts")
    ticks = unit_ticks(unit, clock)
    check_error(error, side)
    search_of(None, agg, 1)
    if isinstance(thresholds, DataFrame) or hasattr(thresholds, "toArrow"):
        numbers: GroupTable | Learn | tuple[float, ...]
        lengths, numbers = read_thresholds(thresholds, rows, groups, windows, ticks, clock)
    else:
        if windows is None and isinstance(thresholds, Mapping):
            windows = sorted(window_of(window, ticks, clock) for window in thresholds)
        if windows is None:
            raise InvalidArgument("bursts() got no windows; give them, like windows=range(4, 404, 4)")
        lengths = windows_of(windows, ticks, clock)
        numbers = thresholds_of(thresholds, lengths, ticks, clock)
    chosen, why = search_of(search, agg, lengths[-1])
    settings = {
        "agg": agg,
        "windows": lengths,
        "thresholds": numbers,
        "unit": ticks,
        "search": chosen,
        "error": float(error),
        "side": side,
    }
    options = check_options(rows, order[0], clock, fragments=False, punctuations=False, verb="bursts()", **stream)
    counted = _value(rows, value, agg, ticks)
    planned = BurstQuery(
        rows, counted, clock, order[0], tuple(order[1:]), tuple(groups), settings, why, options, prefix
    )  # fmt: skip
    return planned if control is None else replace(planned, control=check_control(control, rows, BURST_ORDERS))


def _value(rows: DataFrame, value: Any, agg: str, unit: int | None) -> Column:
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
