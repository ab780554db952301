"""Framings: everything is checked before a job starts; then tables and streams go their ways.

rows ─ select what the scheme needs ─┬─ table:  pack, shuffle chunks, fold            `tables`
       Catalyst                      └─ stream: pack, shuffle chunks, fold with state  `streams`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.frames.operator import FramePlan
from streamframes.core.frames.schedule import MISSING, OPEN_ON, Schedule
from streamframes.core.schemes import Scheme, Threshold
from streamframes.core.schemes.base import check_choice
from streamframes.errors import InvalidArgument
from streamframes.spark.planning.run import EXPLAINED, table_frames
from streamframes.spark.columns import (
    arrow_type,
    check_beginning,
    clock_of,
    column,
    order_and_groups,
    scheme_input,
    tag_columns,
)
from streamframes.spark.explain.scan import frame_steps, packed_steps
from streamframes.spark.planning.measures import InPass, grouped, sorted_out, travelling
from streamframes.spark.scan.scan import Scan
from streamframes.spark.session import buckets_for, require_dataframe
from streamframes.spark.streaming.run import (
    StreamOptions,
    check_options,
    explain_stream,
    stream_frames,
    without_punctuation,
)


@dataclass(frozen=True)
class FrameQuery:
    """A framing of rows: what is known before anything runs."""

    rows: DataFrame
    scheme: Scheme
    clock: Clock
    ts: str
    ties: tuple[str, ...]
    by: tuple[str, ...]
    prefix: str
    schedule: Schedule | None
    inputs: tuple[Column, ...]
    options: StreamOptions

    def frame_table(self, measures: Sequence[InPass]) -> DataFrame:
        """The frames, with measures that are computed in the same pass."""
        extra, made = travelling(measures, len(self.ties) + len(self.inputs))
        return self._run(extra, [(measure.name, measure.type) for measure in measures], measures=made)

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The frames with measures: in the same pass where that is possible, the others by tag and group."""
        self._check_names(measures)
        here, there = sorted_out(self.rows, measures, "agg()", in_stream=self.is_stream)
        frames = self.frame_table(here)
        if not there:
            return frames
        frame_id = f"{self.prefix}id"
        others = grouped(self.tag(keep_outside=False), [frame_id], [self.ts, *self.ties], there)
        fixed = [name for name in frames.columns if name not in measures]
        return frames.join(others, frame_id, "left").select(*map(column, [*fixed, *measures]))

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of their frames."""
        if self.options.punctuations:
            raise InvalidArgument(
                "tag() returns rows, which cannot carry punctuations=True; leave it out, or use toDF()"
            )
        frame_id = f"{self.prefix}id"
        if frame_id in self.rows.columns:
            raise InvalidArgument(
                f"tag() would add {frame_id!r}, but the rows have a column of that name; "
                f"choose another with frames(..., prefix='my_')"
            )
        others, tags = tag_columns(self.rows, self.by, self.ts, len(self.ties) + len(self.inputs))
        return self._run([column(name) for name in others], [], tags=tags, keep_outside=keep_outside)

    def explain(self) -> str:
        """Which way the rows go."""
        rows: Any = self.data
        if isinstance(rows, Scan):
            steps = frame_steps(self, EXPLAINED)
        else:
            inputs = (f"{needed.name}: {needed.expression}" for needed in self.scheme.inputs())
            needs = ", ".join([*self.by, self.ts, *self.ties, *inputs])
            way = explain_stream(self.options) if self.is_stream else EXPLAINED
            steps = [*packed_steps(self, f"what the scheme needs: {needs}"), *way]
        return "\n".join([f"frames {self.describe()}", *steps])

    def describe(self) -> str:
        """The plan in one line."""
        return f"{self.scheme!r}, ts={self.ts!r}, by={list(self.by)!r}"

    @property
    def is_stream(self) -> bool:
        """Whether the rows are a stream."""
        return bool(self.rows.isStreaming)

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

    def _core_plan(self, travelling: DataFrame, **wanted: Any) -> FramePlan:
        kinds = [arrow_type(field.dataType) for field in travelling.schema]
        n_keys = len(self.by)
        return FramePlan(
            scheme=self.scheme.detached(),
            clock=self.clock,
            keys=pa.schema(list(zip(self.by, kinds[:n_keys], strict=True))),
            ts_type=kinds[n_keys],
            columns=tuple(kinds[n_keys + 1 :]),
            n_ties=len(self.ties),
            schedule=self.schedule,
            prefix=self.prefix,
            fragments=self.options.fragments and "tags" not in wanted,
            **wanted,
        )

    def planned(self, extra: Sequence[Column] = (), **wanted: Any) -> tuple[list[Column], FramePlan]:
        """The columns that travel, and the plan of the core for them."""
        chosen = [column(name) for name in (*self.by, self.ts, *self.ties)] + [*self.inputs, *extra]
        columns = [each.alias(f"__sf_{i}") for i, each in enumerate(chosen)]
        return columns, self._core_plan(self.rows.select(*columns), **wanted)

    @property
    def data(self) -> DataFrame:
        """The rows that are data."""
        return without_punctuation(self.rows, self.options)

    def _run(self, extra: list[Column], kinds: list[tuple[str, T.DataType]], **wanted: Any) -> DataFrame:
        columns, plan = self.planned(extra, **wanted)
        schema = self.result_types(plan, kinds)
        if self.is_stream:
            return stream_frames(self.rows, columns, self.ts, plan, self.n_buckets(), self.options, schema)
        return table_frames(self.data.select(*columns), plan, self.n_buckets(), schema)

    def result_types(self, plan: FramePlan, measures: Sequence[tuple[str, T.DataType]] = ()) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        known = {field.name: field.dataType for field in self.rows.schema}
        if plan.tags:
            fields = [T.StructField(tag.name, known[tag.name]) for tag in plan.tags]
            return T.StructType([*fields, T.StructField(f"{self.prefix}id", T.LongType())])
        kinds: dict[str, T.DataType] = {
            **{name: known[name] for name in self.by},
            f"{self.prefix}start": known[self.ts],
            f"{self.prefix}end": known[self.ts],
            f"{self.prefix}closed_by": T.StringType(),
            f"{self.prefix}kind": T.StringType(),
            f"{self.prefix}cell": T.ArrayType(T.LongType(), containsNull=False),
            f"{self.prefix}final": T.BooleanType(),
            **dict(measures),
        }
        # A table tells all of a frame, a stream may tell of its opening. What is never null, Spark need not look at
        # twice; `python -m benchmarks.transfer` measures it.
        may_be_null = plan.frame_schema.names if self.is_stream else {*self.by, *(name for name, _ in measures)}
        return T.StructType(
            [
                T.StructField(name, kinds.get(name, T.LongType()), name in may_be_null)
                for name in plan.frame_schema.names
            ]
        )

    def _check_names(self, measures: Mapping[str, Any]) -> None:
        taken = {*self.by, *(f"{self.prefix}{name}" for name in FRAME_COLUMNS)}
        for name in measures:
            if name in taken:
                raise InvalidArgument(f"agg() got the measure {name!r}, which is a column of the frames; rename it")


FRAME_COLUMNS = ("id", "start", "end", "rows", "closed_by", "kind", "cell", "imputed", "fragment", "final")


def plan_frames(
    rows: Any,
    scheme: Scheme,
    *,
    ts: str | Sequence[str],
    by: str | Sequence[str],
    prefix: str,
    schedule: Mapping[str, Any],
    stream: Mapping[str, Any],
) -> FrameQuery:
    """Check everything that can be checked before a job starts."""
    require_dataframe(rows, "frames")
    order, groups = order_and_groups(rows, ts, by, "frames")
    check_beginning(prefix, "frames")
    clash = [name for name in groups if name in {f"{prefix}{part}" for part in FRAME_COLUMNS}]
    if clash:
        raise InvalidArgument(
            f"frames() got by={clash[0]!r}, which is a column of the frames too; choose another prefix="
        )
    clock = clock_of(rows.schema[order[0]].dataType, order[0], "frames")
    scheme.limits(clock)
    scheme.compile(clock)
    kind = type(scheme).__name__
    inputs = tuple(scheme_input(rows, needed, kind) for needed in scheme.inputs())
    planned = _schedule(clock, scheme, **schedule)
    options = check_options(rows, order[0], clock, **stream)
    return FrameQuery(rows, scheme, clock, order[0], tuple(order[1:]), tuple(groups), prefix, planned, inputs, options)


def _schedule(
    clock: Clock,
    scheme: Scheme,
    *,
    schedule: Duration | None,
    schedule_offset: Any,
    jitter: Duration | None,
    missing: str | None,
    open_on: str | None,
) -> Schedule | None:
    if schedule is None:
        given = {"schedule_offset": schedule_offset, "jitter": jitter, "missing": missing, "open_on": open_on}
        for name, value in given.items():
            if value is not None:
                raise InvalidArgument(f"frames() got {name}={value!r} without schedule=; declare the period too")
        return None
    missing, open_on = missing or "ends", open_on or "any"
    check_choice(missing, "missing", MISSING)
    check_choice(open_on, "open_on", OPEN_ON)
    if missing in ("true", "false") and not isinstance(scheme, Threshold):
        raise InvalidArgument(
            f"missing={missing!r} makes up reports, which only Threshold can use; use 'ends' or 'holds'"
        )
    check_duration(schedule, "schedule")
    period = clock.ticks(schedule, "schedule")
    deviation = 0
    if jitter is not None:
        check_duration(jitter, "jitter")
        deviation = clock.ticks(jitter, "jitter")
        if 2 * deviation >= period:
            raise InvalidArgument(f"jitter={jitter!r} must be less than half of schedule={schedule!r}")
    offset = None if schedule_offset is None else clock.ticks(schedule_offset, "schedule_offset")
    return Schedule(period, deviation, offset, missing, open_on)
