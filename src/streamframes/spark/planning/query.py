"""Queries: rows that are checked, and the operator that is planned over them; the same for tables, files and streams.

verb ─ Source: rows, order, groups ─┐
                                    ├─ PlannedQuery ─ columns that travel ─ OperatorPlan ─ results
what one operator needs of a row ───┘                 Catalyst              core
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Generic, TypedDict, TypeVar

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.arguments import Columns, Measure
from streamframes.core.batch.clock import Clock
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.options import Stream
from streamframes.spark.buckets import buckets_for
from streamframes.spark.columns import check_beginning, clock_of, column, order_and_groups, require_dataframe
from streamframes.spark.explain.scan import packed_steps
from streamframes.spark.planning.run import table_results
from streamframes.spark.streaming.run import stream_results
from streamframes.spark.streaming.watermark import StreamSettings, check_stream
from streamframes.spark.types import arrow_type, spark_type


@dataclass(frozen=True)
class Source:
    """Rows as every verb takes them: in order and in groups."""

    rows: DataFrame
    clock: Clock
    ts: str
    ties: tuple[str, ...]
    by: tuple[str, ...]
    prefix: str
    stream: StreamSettings

    @property
    def is_stream(self) -> bool:
        """Whether the rows are a stream."""
        return bool(self.rows.isStreaming)

    @property
    def lookup(self) -> DataFrame | None:
        """A table that the plan needs as a whole; it is read when a result is used."""
        return None

    @property
    def data(self) -> DataFrame:
        """The rows that are data, without punctuation."""
        rows = self.rows
        for condition in (self.stream.punctuation, self.stream.punctuation_all):
            if condition is not None:
                rows = rows.filter(~F.coalesce(condition, F.lit(False)))
        return rows

    def n_buckets(self) -> int:
        """How many buckets the groups are hashed onto."""
        return buckets_for(self.rows, self.by)


def checked_source(verb: str, rows: object, ts: Columns, by: Columns, prefix: str, stream: Stream) -> Source:
    """Check what every verb is given before a job starts."""
    table = require_dataframe(rows, verb)
    order, groups = order_and_groups(table, ts, by, verb)
    check_beginning(prefix, verb)
    clock = clock_of(table.schema[order[0]].dataType, order[0], verb)
    settings = check_stream(table, order[0], clock, stream, f"{verb}()")
    return Source(table, clock, order[0], tuple(order[1:]), tuple(groups), prefix, settings)


Plan = TypeVar("Plan", bound=OperatorPlan)


class PackedRow(TypedDict):
    """What an operator's plan knows of the rows that travel, whatever the operator."""

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    n_ties: int
    prefix: str


@dataclass(frozen=True)
class Query(Source, ABC):
    """What a verb that finds frames has planned, as its lazy value needs it."""

    @abstractmethod
    def describe(self) -> str:
        """The query in one line."""

    @abstractmethod
    def explain(self) -> str:
        """How the rows are read, shuffled and used, in words."""

    @abstractmethod
    def frame_table(self) -> DataFrame:
        """The frames that the operator finds."""

    @abstractmethod
    def aggregate(self, measures: Mapping[str, Measure]) -> DataFrame:
        """The frames with measures over their own rows."""

    @abstractmethod
    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of their frames."""

    @property
    def fill_by(self) -> tuple[str, ...]:
        """The columns of a frame by which rows belong to it, unless others are named."""
        return self.by

    @property
    def space(self) -> tuple[str, ...]:
        """The columns of a row's place, where frames have one."""
        return ()

    @abstractmethod
    def planned(self) -> tuple[list[Column], OperatorPlan]:
        """The columns that travel, and the plan of the core for them."""


@dataclass(frozen=True)
class PlannedQuery(Source, ABC, Generic[Plan]):
    """An operator over rows: what is known before anything runs."""

    @abstractmethod
    def evaluated(self) -> Sequence[Column]:
        """What the operator needs of each row; it travels behind the columns that break ties."""

    @abstractmethod
    def operator_plan(self, row: PackedRow) -> Plan:
        """The plan of the core, for rows that travel so."""

    def planned(
        self, extra: Sequence[Column] = (), make: Callable[[PackedRow], Plan] | None = None
    ) -> tuple[list[Column], Plan]:
        """The columns that travel, and the plan of the core for them: `operator_plan`, or what `make` makes."""
        chosen = [*map(column, (*self.by, self.ts, *self.ties)), *self.evaluated(), *extra]
        columns = [each.alias(f"__sf_{i}") for i, each in enumerate(chosen)]
        kinds = [arrow_type(each.dataType) for each in self.rows.select(*columns).schema]
        n_keys = len(self.by)
        row = PackedRow(
            clock=self.clock,
            keys=pa.schema(list(zip(self.by, kinds[:n_keys], strict=True))),
            ts_type=kinds[n_keys],
            columns=tuple(kinds[n_keys + 1 :]),
            n_ties=len(self.ties),
            prefix=self.prefix,
        )
        return columns, (make or self.operator_plan)(row)

    def results(
        self,
        extra: Sequence[Column] = (),
        make: Callable[[PackedRow], Plan] | None = None,
        types: Mapping[str, T.DataType] = MappingProxyType({}),
    ) -> DataFrame:
        """The table or stream of results; `types` are those of columns that the operator adds."""
        columns, plan = self.planned(extra, make)
        return self.carried_out(columns, plan, self.result_types(plan, types))

    def frame_table(self) -> DataFrame:
        """The frames that the operator finds."""
        return self.results()

    def carried_out(self, columns: Sequence[Column], plan: Plan, schema: T.StructType) -> DataFrame:
        """The results of a plan on these rows."""
        if self.is_stream:
            return stream_results(self.rows, columns, self.ts, plan, self.n_buckets(), self.stream, schema, self.lookup)
        return table_results(self.data, columns, plan, schema, self.lookup)

    def result_types(self, plan: Plan, types: Mapping[str, T.DataType] = MappingProxyType({})) -> T.StructType:
        """The columns of the results, as Spark knows them: groups and instants as they are in the rows."""
        rows = {each.name: each.dataType for each in self.rows.schema}
        kept = {name: rows[name] for name in (*self.by, self.ts)}
        kept |= {f"{self.prefix}{edge}": rows[self.ts] for edge in ("start", "end")} | dict(types)
        columns = [(each.name, kept.get(each.name) or spark_type(each.type)) for each in plan.result_schema]
        return T.StructType([T.StructField(name, kind) for name, kind in columns])

    def packed_steps(self, evaluated: str) -> list[str]:
        """How rows are read and packed, in words."""
        columns, plan = self.planned()
        return packed_steps(self.data, columns, plan.layout, self.by, self.n_buckets(), evaluated)
