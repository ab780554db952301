"""Sessions: events that flow down a tree of classes.

events ─ select conditions and values ─ pack, shuffle chunks ─ flow down the tree by bucket ─ sessions, measures, ...
         Catalyst                                              one compiled engine
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.arguments import Measure
from streamframes.core.batch.rows import TagColumn
from streamframes.core.sessions.commands import COMMAND_LAYOUT, MeasureCommands
from streamframes.core.sessions.language.nodes import path_of
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.operator import SessionPlan
from streamframes.core.sessions.partitioning import BY_PARTS
from streamframes.core.sessions.plan import DIAGNOSTICS, MEASURES, OPEN, SESSIONS, TAGGED, OutputColumn
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import INSTANTS, as_column, column, names, tag_columns
from streamframes.spark.explain.scan import read_step
from streamframes.spark.explain.sessions import shown, tree_steps
from streamframes.spark.planning.frame_tables import check_free
from streamframes.spark.planning.query import PackedRow, PlannedQuery, Query
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.planning.session_columns import SentEvents, output_columns, sent_events, spark_type
from streamframes.spark.streaming.commands import CommandColumns, commanded_results
from streamframes.spark.streaming.merge_root import merged, with_one_root
from streamframes.spark.streaming.run import explain_stream
from streamframes.spark.types import arrow_type

SESSION_COMMANDS = CommandColumns(
    "sessions",
    {"action": "string", "name": "string", "expression": "string"},
    COMMAND_LAYOUT,
    "action ('add' or 'drop'), name and expression",
    "give other measures=",
)


@dataclass(frozen=True)
class SessionQuery(PlannedQuery[SessionPlan], Query):
    """Events that flow down one tree; `chosen` are the classes whose sessions are wanted, by number."""

    root: Session
    planner: Planner
    partitioning: str
    why: str
    chosen: tuple[int, ...]
    control: DataFrame | None = field(default=None)

    @property
    def classes(self) -> list[str]:
        """The names of the classes whose sessions are wanted."""
        return [self.planner.names[cls] for cls in self.chosen]

    @property
    def fill_by(self) -> tuple[str, ...]:
        """Rows belong to the sessions of their keys, those of all classes on the path."""
        path = reversed(path_of(self.planner.classes, self.chosen[0]))
        return tuple(dict.fromkeys(name for cls in path for name in self._names(self.planner.sessions[cls])))

    def evaluated(self) -> list[Column]:
        """Conditions and values of events."""
        return self._events().columns

    def result(self, output: str, *, keep_outside: bool = False) -> DataFrame:
        """The table or stream of sessions, measures, ..."""
        extra, tags = self._tagged() if output == TAGGED else ([], ())
        commands: MeasureCommands | None = None
        if self.control is not None:
            if output != MEASURES:
                raise InvalidArgument(f"sessions() got control=, which changes measures; remove it to get {output}")
            raw = self._raw()
            extra = [column(name) for name in raw.names]
            commands = MeasureCommands(self.planner, raw, self.partitioning)
        make = partial(self.operator_plan, output=output, tags=tags, keep_outside=keep_outside, commands=commands)
        return self.results(extra, make)

    def carried_out(self, columns: Sequence[Column], plan: SessionPlan, schema: T.StructType) -> DataFrame:
        """The results of a plan on these events, and on the commands beside them."""
        if self.control is None:
            return super().carried_out(columns, plan, schema)
        return commanded_results(
            self.rows, columns, self.ts, plan, self.n_buckets(), self.stream, schema, self.control, SESSION_COMMANDS
        )

    def measures(self) -> DataFrame:
        """Measures: those of a merged root are put together from all places."""
        found = self.result(MEASURES)
        if self.partitioning != BY_PARTS:
            return found
        _, plan = self.planned(make=partial(self.operator_plan, output=MEASURES))
        return merged(found, plan, self.rows.schema[self.ts].dataType)

    def open_table(self) -> DataFrame:
        """What is open at the end of a table."""
        found = self.result(OPEN)
        lasting = self.planner.classes[0].is_lasting and 0 in self.chosen
        if not lasting or self.partitioning != BY_PARTS:
            return found
        names = [m.name for m in self.planner.measures if self.planner.nodes[m.node].cls == 0]
        last = self.measures().filter(F.col("class") == self.root.name) if set(names) & set(found.columns) else None
        return with_one_root(found, last, self.prefix, self.ts, self.by, [n for n in names if n in found.columns])

    def diagnostics(self) -> DataFrame:
        """By class how many events of a table had no key, and how many would have closed what was not open."""
        counts = [F.sum(name).alias(name) for name in ("null_keys", "unmatched_closes")]
        return self.result(DIAGNOSTICS).groupBy("class").agg(*counts)

    def tagged(self, *, keep_outside: bool) -> DataFrame:
        """The events with the ids of their sessions."""
        clash = [f"{name}_id" for name in self.classes if f"{name}_id".lower() in map(str.lower, self.rows.columns)]
        if clash:
            raise InvalidArgument(f"tag() adds the column {clash[0]!r}, but the rows have one; rename it or the class")
        return self.result(TAGGED, keep_outside=keep_outside)

    def _raw(self) -> pa.Schema:
        """The columns of events that commands may name."""
        kinds = [(each.name, each.dataType) for each in self.rows.schema]
        plain = (T.NumericType, T.StringType, T.BooleanType, *INSTANTS)
        return pa.schema([(name, arrow_type(kind)) for name, kind in kinds if isinstance(kind, plain)])

    def _tagged(self) -> tuple[list[Column], tuple[TagColumn, ...]]:
        first = len(self.ties) + len(self._events().columns)
        others, tags = tag_columns(self.rows, self.by, self.ts, first)
        return [column(name) for name in others], tags

    def frame_table(self) -> DataFrame:
        """The closed sessions."""
        return self.result(SESSIONS)

    def aggregate(self, measures: Mapping[str, Measure]) -> DataFrame:
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

    def operator_plan(
        self,
        row: PackedRow,
        output: str | None = None,
        tags: tuple[TagColumn, ...] = (),
        keep_outside: bool = False,
        commands: MeasureCommands | None = None,
    ) -> SessionPlan:
        """The plan of the core; without an output, for sessions that are to be filled."""
        planner = self.planner
        if output is None and self.control is not None:
            raise InvalidArgument("sessions() got control=, and its sessions are to be filled; remove control=")
        sent = self._events()
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
            event_at=sent.at,
            bits=sent.bits,
            grouped=grouped,
            functions=tuple(planner.functions),
            partitioning=self.partitioning,
            output=output or SESSIONS,
            chosen=self._result_classes(output),
            spelling=self.root.spelling(),
            measures=tuple(planner.measures),
            output_columns=self.output_columns(self._result_classes(output)),
            tags=tags,
            keep_outside=keep_outside,
            commands=commands,
        )

    def _result_classes(self, output: str | None) -> tuple[int, ...]:
        """The classes whose sessions are results; a root that never ends is no closed session."""
        lasting = output in (SESSIONS, None) and self.planner.classes[0].is_lasting
        return tuple(cls for cls in self.chosen if cls != 0 or not lasting)

    def _events(self) -> SentEvents:
        return sent_events(self.planner, self.by, len(self.ties))

    def output_columns(self, chosen: Sequence[int]) -> tuple[OutputColumn, ...]:
        """The columns of the sessions of some classes, beside those that all frames have."""
        return output_columns(self.planner, chosen, self.by, self._names)

    def _names(self, each: Session) -> tuple[str, ...]:
        return tuple(names(list(each.keys), "key", self.rows, "sessions"))

    def result_types(self, plan: SessionPlan, types: Mapping[str, T.DataType] = MappingProxyType({})) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        known = {each.name: each.dataType for each in self.rows.schema}
        instants = [kind for kind in known.values() if isinstance(kind, INSTANTS)]
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
        tree = tree_steps(self.root, self.planner, self.partitioning)
        return "\n".join([f"sessions of {self.describe()}", read, pack, *way, *tree])

    def describe(self) -> str:
        """The query in one line."""
        return f"{shown(self.root)}, ts={self.ts!r}, {self.partitioning}"
