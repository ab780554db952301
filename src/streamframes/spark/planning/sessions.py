"""Sessions: events that flow down a tree of classes.

events ─ select conditions and values ─ pack, shuffle chunks ─ flow down the tree by bucket ─ sessions, measures, ...
         Catalyst                                              one compiled engine
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.rows import TagColumn
from streamframes.core.sessions.commands import Orders
from streamframes.core.sessions.language.nodes import path_of
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import Value
from streamframes.core.sessions.operator import SessionPlan
from streamframes.core.sessions.plan import (
    MEASURES,
    ODD,
    OPEN,
    SESSIONS,
    SPANNING,
    TAGGED,
    Told,
)
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import (
    arrow_type,
    as_column,
    column,
    names,
    tag_columns,
)  # fmt: skip
from streamframes.spark.explain.scan import read_step
from streamframes.spark.explain.sessions import shown, tree_steps
from streamframes.spark.planning.frame_tables import check_free
from streamframes.spark.planning.query import PackedRow, PlannedQuery
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.planning.session_columns import A_LONG, carried, flags, spark_type
from streamframes.spark.streaming.commands import SESSION_COMMANDS, commanded_results
from streamframes.spark.streaming.merge_root import merged
from streamframes.spark.streaming.run import explain_stream


@dataclass(frozen=True)
class SessionQuery(PlannedQuery[SessionPlan]):
    """Events that flow down one tree; `chosen` are the classes whose sessions are wanted, by number."""

    root: Session
    planner: Planner
    spread: str
    why: str
    chosen: tuple[int, ...]
    control: DataFrame | None = field(default=None)

    @property
    def classes(self) -> list[str]:
        """The names of the classes that are told of."""
        return [self.planner.names[cls] for cls in self.chosen]

    @property
    def fill_by(self) -> tuple[str, ...]:
        """Rows belong to the sessions of their keys, those of all classes on the path."""
        path = reversed(path_of(self.planner.classes, self.chosen[0]))
        return tuple(dict.fromkeys(name for cls in path for name in self._names(self.planner.sessions[cls])))

    def evaluated(self) -> list[Column]:
        """Conditions and values of events."""
        return self._events()[0]

    def result(self, output: str, *, keep_outside: bool = False) -> DataFrame:
        """The table or stream of sessions, measures, ..."""
        extra, tags = self._tagged() if output == TAGGED else ([], ())
        orders: Orders | None = None
        if self.control is not None:
            if output != MEASURES:
                raise InvalidArgument(f"sessions() got control=, which changes measures; remove it to get {output}")
            raw = self._raw()
            extra = [column(name) for name in raw.names]
            orders = Orders(self.planner, raw, self.spread)
        make = partial(self.operator_plan, output=output, tags=tags, keep_outside=keep_outside, orders=orders)
        return self.results(extra, make)

    def carried_out(self, columns: Sequence[Column], plan: SessionPlan, schema: T.StructType) -> DataFrame:
        """The results of a plan on these events, and on the commands beside them."""
        if self.control is None:
            return super().carried_out(columns, plan, schema)
        return commanded_results(
            self.rows, columns, self.ts, plan, self.n_buckets(), self.stream, schema, self.control, SESSION_COMMANDS
        )

    def measures(self) -> DataFrame:
        """Measures: those of a root that spans are put together from all places."""
        found = self.result(MEASURES)
        if self.spread != SPANNING:
            return found
        _, plan = self.planned(make=partial(self.operator_plan, output=MEASURES))
        return merged(found, plan, self.rows.schema[self.ts].dataType)

    def open_table(self) -> DataFrame:
        """What is open at the end of a table."""
        found = self.result(OPEN)
        lasting = self.planner.classes[0].is_lasting and 0 in self.chosen
        return self._root_together(found) if lasting and self.spread == SPANNING else found

    def _root_together(self, found: DataFrame) -> DataFrame:
        """The one row of a root that spans, from those of its places; its aggregates are the last of its measures."""
        own = {f"{self.prefix}{name}": fold for name, fold in (("start", F.min), ("end", F.max), ("rows", F.sum))}
        is_root = F.col(f"{self.prefix}level") == 0
        shown = [
            (own[name](name) if name in own else F.first(name, ignorenulls=True)).alias(name) for name in found.columns
        ]
        groups = [F.lit(None).cast(found.schema[name].dataType).alias(name) for name in self.by]
        root = found.filter(is_root).groupBy().agg(*shown[len(self.by) :]).filter(F.col(f"{self.prefix}id").isNotNull())
        root = root.select(*groups, *found.columns[len(self.by) :])
        told = [
            m.name for m in self.planner.measures if self.planner.nodes[m.node].cls == 0 and m.name in found.columns
        ]
        if told:
            last = self.measures().filter(F.col("class") == self.root.name)
            ends = last.groupBy().agg(
                *(
                    F.max_by(
                        F.when(F.col("measure") == name, F.col("value")),
                        F.when(F.col("measure") == name, column(self.ts)),
                    ).alias(f"__sf_{name}")
                    for name in told
                )
            )
            root = root.crossJoin(ends)
            root = root.select(
                *(
                    F.col(f"__sf_{name}").cast(found.schema[name].dataType).alias(name)
                    if name in told
                    else column(name)
                    for name in found.columns
                )
            )
        return found.filter(~is_root).unionByName(root)

    def odd(self) -> DataFrame:
        """What was odd about the events of a table, by class."""
        found = self.result(ODD)
        return found.groupBy("class").agg(
            F.sum("null_keys").alias("null_keys"), F.sum("stray_closes").alias("stray_closes")
        )

    def tagged(self, *, keep_outside: bool) -> DataFrame:
        """The events with the ids of their sessions."""
        clash = [f"{name}_id" for name in self.classes if f"{name}_id".lower() in map(str.lower, self.rows.columns)]
        if clash:
            raise InvalidArgument(f"tag() adds the column {clash[0]!r}, but the rows have one; rename it or the class")
        return self.result(TAGGED, keep_outside=keep_outside)

    def _raw(self) -> pa.Schema:
        """The columns of events that orders may name."""
        kinds = [(each.name, each.dataType) for each in self.rows.schema]
        plain = (T.NumericType, T.StringType, T.BooleanType, T.DatetimeType)
        return pa.schema([(name, arrow_type(kind)) for name, kind in kinds if isinstance(kind, plain)])

    def _tagged(self) -> tuple[list[Column], tuple[TagColumn, ...]]:
        first = len(self.ties) + len(self._events()[0])
        others, tags = tag_columns(self.rows, self.by, self.ts, first)
        return [column(name) for name in others], tags

    def frame_table(self) -> DataFrame:
        """The closed sessions."""
        return self.result(SESSIONS)

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The sessions with measures over their own events."""
        if self.is_stream:
            raise InvalidArgument("agg() got sessions of a stream; give the measures as attributes= of the class")
        frames = self.frame_table()
        check_free([*frames.columns, *measures], "agg", "rename the measure")
        made = [as_column(text).alias(name) for name, text in measures.items()]
        own = f"{self.prefix}id"
        found = self.tag(keep_outside=False).groupBy(own).agg(*made)
        return frames.join(found, own, "left").select(*frames.columns, *measures)

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The events with the id of their session, once for each."""
        found = self.tagged(keep_outside=keep_outside)
        (name,) = self.classes
        own = f"{self.prefix}id"
        if isinstance(found.schema[f"{name}_id"].dataType, T.ArrayType):
            explode = F.explode_outer if keep_outside else F.explode
            return found.select(*map(column, self.rows.columns), explode(f"{name}_id").alias(own))
        return found.withColumnRenamed(f"{name}_id", own)

    def _events(self) -> tuple[list[Column], tuple[int, ...], tuple[int, ...]]:
        """The columns of events that travel, where each of the planner's is, and at which bit.

        Group columns do not travel; conditions share a long, two bits each, because a column costs more than a bit.
        """
        planner = self.planner
        sent: list[Column] = []
        conditions: list[int] = []
        event_at, bits = [0] * len(planner.events), [-1] * len(planner.events)
        keys = {column for each in planner.classes for column in each.keys}
        for i, (each, kind) in enumerate(zip(planner.events, planner.event_types, strict=True)):
            if self._is_group(each):
                event_at[i] = -1 - self.by.index(each.strip("`").replace("``", "`"))
            elif pa.types.is_boolean(kind) and i not in keys:
                conditions.append(i)
            else:
                event_at[i] = len(self.ties) + len(sent)
                sent.append(carried(each, kind))
        for start in range(0, len(conditions), A_LONG):
            together = conditions[start : start + A_LONG]
            for place, i in enumerate(together):
                event_at[i], bits[i] = len(self.ties) + len(sent), 2 * place
            sent.append(flags([as_column(planner.events[i]) for i in together]))
        return sent, tuple(event_at), tuple(bits)

    def _is_group(self, expression: Any) -> bool:
        return isinstance(expression, str) and expression.strip("`").replace("``", "`") in self.by

    def operator_plan(
        self,
        row: PackedRow,
        output: str | None = None,
        tags: tuple[TagColumn, ...] = (),
        keep_outside: bool = False,
        orders: Orders | None = None,
    ) -> SessionPlan:
        """The plan of the core; without an output, for sessions that are to be filled."""
        planner = self.planner
        if output is None and self.control is not None:
            raise InvalidArgument("sessions() got control=, and its sessions are to be filled; remove control=")
        _, event_at, bits = self._events()
        grouped = tuple(
            i
            for i, each in enumerate(planner.sessions)
            if self.by and self._names(each) == self.by and planner.classes[i].level <= 1
        )
        return SessionPlan(
            **row,
            ts=self.ts,
            classes=tuple(planner.classes),
            nodes=tuple(planner.nodes),
            event_at=event_at,
            bits=bits,
            grouped=grouped,
            functions=tuple(planner.functions),
            spread=self.spread,
            output=output or SESSIONS,
            chosen=self._told_of(output),
            spelling=self.root.spelling(),
            measures=tuple(planner.measures),
            told=self.told_columns(self._told_of(output)),
            tags=tags,
            keep_outside=keep_outside,
            orders=orders,
        )

    def _told_of(self, output: str | None) -> tuple[int, ...]:
        """The classes that are told of; a root that never ends is no closed session."""
        lasting = output in (SESSIONS, None) and self.planner.classes[0].is_lasting
        return tuple(cls for cls in self.chosen if cls != 0 or not lasting)

    def _names(self, each: Session) -> tuple[str, ...]:
        return tuple(names(list(each.keys), "key", self.rows, "sessions"))

    def told_columns(self, chosen: Sequence[int]) -> tuple[Told, ...]:
        """The columns of sessions beside those that all frames have: keys, attributes, own aggregates."""
        planner = self.planner
        found: dict[str, list[tuple[int, int]]] = {}
        for cls in chosen:
            for above in reversed(path_of(planner.classes, cls)):
                for name in self._names(planner.sessions[above]):
                    if name not in self.by:
                        node = self._key_node(above, name)
                        found.setdefault(name, []).append((cls, node))
            for name, node in planner.attributes[cls].items():
                found.setdefault(self._spelled(cls, name), []).append((cls, node))
            for measure in planner.measures:
                if planner.nodes[measure.node].cls == cls:
                    found.setdefault(measure.name, []).append((cls, measure.node))
        return tuple(self._told(name, nodes) for name, nodes in found.items())

    def _key_node(self, cls: int, name: str) -> int:
        """The node that keeps a key column; the planner has made one for each."""
        return self.planner.opening(cls, name, f"key of {self.planner.names[cls]!r}")

    def _spelled(self, cls: int, name: str) -> str:
        each = self.planner.sessions[cls]
        own = (*each.attributes, *(each.on_open or ()), *(each.on_close or ()))
        return str(next(n for n in own if n.lower() == name))

    def _told(self, name: str, nodes: Sequence[tuple[int, int]]) -> Told:
        owners = [cls for cls, _ in nodes]
        if len(set(owners)) < len(owners):
            raise InvalidArgument(
                f"sessions() tells of two values called {name!r} in {self.planner.names[owners[0]]}; rename the "
                "attribute or the measure"
            )
        kinds = {(self.planner.nodes[node].type, self.planner.arrow[node]) for _, node in nodes}
        if len(kinds) > 1:
            named = [self.planner.names[cls] for cls in owners]
            raise InvalidArgument(
                f"sessions() tells of {name!r} in {', '.join(named)}, with different types; rename one, or ask for one "
                f"class: .sessions({named[0]!r})"
            )
        ((kind, arrow),) = kinds
        return Told(name, arrow, kind, tuple((cls, Value(node, kind)) for cls, node in nodes))

    def result_types(self, plan: SessionPlan, types: Mapping[str, T.DataType] = MappingProxyType({})) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        known = {each.name: each.dataType for each in self.rows.schema}
        instants = [kind for kind in known.values() if isinstance(kind, T.DatetimeType)]
        check_free(plan.result_schema.names, "sessions", "rename the column or the attribute, or give prefix=")
        return T.StructType(
            [
                T.StructField(each.name, spark_type(each.type, (known.get(each.name), known[self.ts], *instants)))
                for each in plan.result_schema
            ]
        )

    def explain(self) -> str:
        """Which way the events go, and in which bucket they meet."""
        columns, plan = self.planned()
        read = read_step(self.data, columns, plan.layout) or (
            f"  1 select  {len(self.planner.events)} columns: conditions and values of events, computed by Spark"
        )
        by = f"by {', '.join(self.by)}" if self.by else "to one bucket"
        pack = f"  2 pack    chunks of rows, {by}: {self.why}"
        way = [SHUFFLED, "  4 flow    one compiled engine a bucket; a record for each open session"]
        way = explain_stream(self.stream) if self.is_stream else way
        tree = tree_steps(self.root, self.planner, self.spread)
        return "\n".join([f"sessions of {self.describe()}", read, pack, *way, *tree])

    def describe(self) -> str:
        """The query in one line."""
        return f"{shown(self.root)}, ts={self.ts!r}, {self.spread}"
