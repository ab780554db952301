"""Patterns: rows among which matches of a pattern are sought.

rows ─ select conditions and values ─ pack, shuffle chunks ─ match by bucket ─ leaves of measures ─ select measures
       Catalyst                                              one compiled matcher                   Catalyst

`plan_match` is the entry point, for the verb and for whoever reads MATCH_RECOGNIZE.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.arguments import Columns
from streamframes.core.batch.clock import Duration, check_duration
from streamframes.core.batch.rows import TagColumn
from streamframes.core.patterns.language.leaves import Navigation
from streamframes.core.patterns.operator import PatternPlan
from streamframes.core.patterns.plan import ALL_OMIT_EMPTY, ALL_UNMATCHED, ONE, ROWS_PER_MATCH, LeafColumn
from streamframes.core.patterns.resolve import PatternText, Resolved, resolve
from streamframes.core.patterns.waiting import endless, may_wait
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument
from streamframes.options import Stream
from streamframes.spark.columns import analysed, as_column, column, tag_columns
from streamframes.spark.explain.patterns import match_steps
from streamframes.spark.planning.fill.own import FilledQuery
from streamframes.spark.planning.frame_tables import check_free
from streamframes.spark.planning.query import PackedRow, checked_source
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.streaming.run import explain_stream
from streamframes.spark.types import arrow_type, spark_type

_OF_FRAMES = ("id", "start", "end", "rows", "closed_by")


@dataclass(frozen=True)
class PatternQuery(FilledQuery[PatternPlan]):
    """A pattern over rows; `expressions` travel, and `kinds` are their types by text."""

    text: PatternText
    found: Resolved
    expressions: tuple[Column, ...]
    kinds: Mapping[str, T.DataType]
    within: int | None
    timeouts: bool

    def evaluated(self) -> tuple[Column, ...]:
        """Conditions and values of rows."""
        return self.expressions

    def operator_plan(
        self,
        row: PackedRow,
        measured: tuple[LeafColumn, ...] | None = None,
        rows_per_match: str = ONE,
        tags: tuple[TagColumn, ...] = (),
    ) -> PatternPlan:
        """The plan of the core; for matches that are to be filled with the measures that are leaves."""
        found = self.found
        return PatternPlan(
            **row,
            ts=self.ts,
            spelling=self.spelling(),
            pattern=found.pattern,
            names=found.names,
            definitions=found.definitions,
            inputs=found.inputs,
            leaves=found.leaves,
            leaf_inputs=found.leaf_inputs,
            measured=self._plain_measures() if measured is None else measured,
            skip=found.skip,
            skip_mask=found.skip_mask,
            within=self.within,
            timeouts=self.timeouts,
            rows_per_match=rows_per_match,
            tags=tags,
        )

    def spelling(self) -> str:
        """The pattern and its definitions as text: what the ids of matches depend on."""
        define = ", ".join(f"{name} as {self.text.define[name]}" for name in sorted(self.text.define))
        subset = ", ".join(f"{name} = {', '.join(parts)}" for name, parts in sorted(self.text.subset.items()))
        limit = "" if self.within is None else f" within {self.within}{' with timeouts' if self.timeouts else ''}"
        return f"{self.text.pattern} define {define} subset {subset} after match {self.text.after_match}{limit}"

    def _plain_measures(self) -> tuple[LeafColumn, ...]:
        leaves = {each.name: each for each in self.found.measured}
        return tuple(replace(leaves[text], name=name) for name, text in self.found.measures.items() if text in leaves)

    def frame_table(self) -> DataFrame:
        """One row for each match."""
        own = [f"{self.prefix}{name}" for name in _OF_FRAMES]
        check_free([*self.by, *own, *self.found.measures], "match", "rename the column or the measure")
        make = partial(self.operator_plan, measured=self.found.measured)
        return self._with_measures(self.results((), make), (*self.by, *own, "match_number"))

    def row_table(self, rows_per_match: str | None = None) -> DataFrame:
        """The rows of matches, with what is known of the matches and of them."""
        own = [f"{self.prefix}{name}" for name in _OF_FRAMES]
        ours = [name for name in (*own, "match_number", "classifier") if name not in self.found.measures]
        check_free([*self.rows.columns, *ours, *self.found.measures], "match", "rename the column or the measure")
        others, tags = tag_columns(self.rows, self.by, self.ts, len(self.ties) + len(self.expressions))
        wanted = rows_per_match or self.text.rows_per_match
        make = partial(self.operator_plan, measured=self.found.measured, rows_per_match=wanted, tags=tags)
        columns, plan = self.planned([column(name) for name in others], make)
        kinds = {each.name: each.dataType for each in self.rows.schema}
        found = self.carried_out(columns, plan, self.result_types(plan, kinds))
        names = tuple(each.name for each in tags)
        return self._with_measures(found, (*names, *own, "match_number", "classifier"))

    def _with_measures(self, found: DataFrame, names: tuple[str, ...]) -> DataFrame:
        """The columns of results, and the measures that Spark makes of the leaves; a measure may stand for a column."""
        kept = [column(name) for name in names if name not in self.found.measures]
        made = [F.expr(text).alias(name) for name, text in self.found.measures.items()]
        return found.select(*kept, *made)

    def result_types(self, plan: PatternPlan, types: Mapping[str, T.DataType] = MappingProxyType({})) -> T.StructType:
        """The columns of the results; values that are navigated to have the type that Spark gave them."""
        known = {
            each.name: self.kinds.get(each.leaf.what, T.StringType())
            for each in plan.measured
            if isinstance(each.leaf, Navigation)
        }
        rows = {each.name: each.dataType for each in self.rows.schema}
        kept = {name: rows[name] for name in (*self.by, self.ts)} | dict(types)
        kept |= {f"{self.prefix}{edge}": rows[self.ts] for edge in ("start", "end")} | known
        columns = [(each.name, kept.get(each.name) or spark_type(each.type)) for each in plan.result_schema]
        return T.StructType([T.StructField(name, kind) for name, kind in columns])

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows of matches with their id and variable; with those in none, if they are to be kept."""
        bare = replace(self, found=replace(self.found, measured=(), measures={}))
        found = bare.row_table(ALL_UNMATCHED if keep_outside else ALL_OMIT_EMPTY)
        own = column(f"{self.prefix}id")
        empty = column(f"{self.prefix}rows") == 0
        if not keep_outside:
            return found.select(*map(column, self.rows.columns), own, column("classifier"))
        kept = F.when(empty, F.lit(None).cast("long")).otherwise(own).alias(f"{self.prefix}id")
        return found.select(*map(column, self.rows.columns), kept, column("classifier"))

    def explain(self) -> str:
        """How rows are read, what is computed where, and what rows wait for."""
        steps = self.packed_steps(f"{len(self.expressions)} columns: conditions and values of rows")
        steps += explain_stream(self.stream) if self.is_stream else [SHUFFLED]
        _, plan = self.planned()
        return "\n".join([f"match {self.describe()}", *steps, *match_steps(plan, may_wait(self.found))])

    def describe(self) -> str:
        """The query in one line."""
        return f"{self.text.pattern!r}, ts={self.ts!r}, by={list(self.by)!r}"


def plan_match(
    rows: object,
    text: PatternText,
    *,
    ts: Columns,
    by: Columns,
    within: Duration | None,
    timeouts: bool,
    stream: Stream,
    prefix: str = "frame_",
) -> PatternQuery:
    """Check everything that can be checked before a job starts."""
    source = checked_source("match", rows, ts, by, prefix, stream)
    check_choice(text.rows_per_match, "rows_per_match", ROWS_PER_MATCH)
    if not isinstance(timeouts, bool) or (timeouts and within is None):
        raise InvalidArgument(f"match() got timeouts={timeouts!r} without within=, which says when time is up")
    limit = None
    if within is not None:
        check_duration(within, "within", zero=True)
        limit = source.clock.ticks(within, "within")
    kinds: dict[str, T.DataType] = {}

    def type_of(expression: str, what: str) -> pa.DataType:
        def probe() -> DataFrame:
            return source.rows.select(as_column(expression).alias("__sf_probe"), column(source.ts))

        kinds[expression] = analysed(source.rows, probe, expression, what, "match()")
        return arrow_type(kinds[expression])

    found = resolve(text, source.rows.columns, type_of)
    expressions = tuple(map(as_column, found.expressions))
    if source.is_stream and limit is None:
        _check_waiting(found)
    return PatternQuery(
        **vars(source), text=text, found=found, expressions=expressions, kinds=kinds, within=limit, timeouts=timeouts
    )


def _check_waiting(found: Resolved) -> None:
    """Refuse a pattern of which no match is ever certain, and warn of one whose rows may wait for ever."""
    why = endless(found)
    if why is not None:
        raise InvalidArgument(f"match() got a stream: {why}")
    part = may_wait(found)
    if part is not None:
        warnings.warn(
            f"match() got a stream without within=: {part} may go on for ever, and its rows are kept as long; "
            "give within='1 hour'",
            UserWarning,
            stacklevel=4,
        )
