"""Frames: rows that are cut by a scheme."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.arguments import Columns
from streamframes.arguments import Measure as MeasureArgument
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.frames.schedule import Schedule as Ticks
from streamframes.core.schemes import Scheme, Threshold
from streamframes.errors import InvalidArgument
from streamframes.options import Schedule, Stream
from streamframes.spark.columns import column, scheme_input, tag_columns
from streamframes.spark.explain.scan import frame_steps
from streamframes.spark.planning.measures import grouped, sorted_out, travelling
from streamframes.spark.planning.query import PackedRow, PlannedQuery, Query, checked_source
from streamframes.spark.planning.run import TABLE_STEPS
from streamframes.spark.scan.scan import Scan
from streamframes.spark.streaming.run import explain_stream


@dataclass(frozen=True)
class FrameQuery(PlannedQuery[FramePlan], Query):
    """Rows that are cut into frames by a scheme."""

    scheme: Scheme
    schedule: Ticks | None
    inputs: tuple[Column, ...]

    def evaluated(self) -> tuple[Column, ...]:
        """The inputs of the scheme."""
        return self.inputs

    def operator_plan(
        self,
        row: PackedRow,
        measures: tuple[Measure, ...] = (),
        tags: tuple[TagColumn, ...] = (),
        keep_outside: bool = False,
    ) -> FramePlan:
        """The plan of the core; rows that are tagged are reported once, without fragments."""
        return FramePlan(
            **row,
            scheme=self.scheme,
            schedule=self.schedule,
            fragments=self.stream.fragments and not tags,
            measures=measures,
            tags=tags,
            keep_outside=keep_outside,
        )

    def aggregate(self, measures: Mapping[str, MeasureArgument]) -> DataFrame:
        """The frames with measures: in the same pass where that is possible, the others by tag and group."""
        self._check_names(measures)
        here, there = sorted_out(self.rows, measures, "agg()", in_stream=self.is_stream)
        extra, made = travelling(here, len(self.ties) + len(self.inputs))
        types = {measure.name: measure.type for measure in here}
        frames = self.results(extra, partial(self.operator_plan, measures=made), types)
        if not there:
            return frames
        frame_id = f"{self.prefix}id"
        others = grouped(self.tag(keep_outside=False), [frame_id], [self.ts, *self.ties], there)
        fixed = [name for name in frames.columns if name not in measures]
        return frames.join(others, frame_id, "left").select(*map(column, [*fixed, *measures]))

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of their frames."""
        self.stream.refuse_changes("tag()")
        if self.stream.punctuations:
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
        make = partial(self.operator_plan, tags=tags, keep_outside=keep_outside)
        columns, plan = self.planned([column(name) for name in others], make)
        types = {each.name: each.dataType for each in self.rows.schema}
        fields = [T.StructField(each.name, types.get(each.name, T.LongType())) for each in plan.result_schema]
        return self.carried_out(columns, plan, T.StructType(fields))

    def explain(self) -> str:
        """How the rows are read, shuffled and cut, in words."""
        inputs = (f"{needed.name}: {needed.expression}" for needed in self.scheme.inputs())
        needs = ", ".join([*self.by, self.ts, *self.ties, *inputs])
        steps = self.packed_steps(f"what the scheme needs: {needs}")
        steps += explain_stream(self.stream) if self.is_stream else TABLE_STEPS
        rows: DataFrame | Scan = self.data
        if isinstance(rows, Scan):
            columns, plan = self.planned()
            steps = frame_steps(rows, columns, plan, steps)
        return "\n".join([f"frames {self.describe()}", *steps])

    def describe(self) -> str:
        """The query in one line."""
        return f"{self.scheme!r}, ts={self.ts!r}, by={list(self.by)!r}"

    def result_types(self, plan: FramePlan, types: Mapping[str, T.DataType] = MappingProxyType({})) -> T.StructType:
        """The columns of the results; what is never null in a table, Spark need not look at twice.

        `python -m benchmarks.transfer` measures what that saves.
        """
        cell = T.ArrayType(T.LongType(), containsNull=False)
        found = super().result_types(plan, {f"{self.prefix}cell": cell, **types})
        if not self.is_stream:
            for each in found.fields:
                each.nullable = each.name in self.by or each.name in types
        return found

    def _check_names(self, measures: Mapping[str, MeasureArgument]) -> None:
        taken = {*self.by, *(f"{self.prefix}{name}" for name in FRAME_COLUMNS)}
        for name in measures:
            if name in taken:
                raise InvalidArgument(f"agg() got the measure {name!r}, which is a column of the frames; rename it")


FRAME_COLUMNS = ("id", "start", "end", "rows", "closed_by", "kind", "cell", "imputed", "fragment", "final")


def plan_frames(
    rows: object,
    scheme: Scheme,
    *,
    ts: Columns,
    by: Columns,
    prefix: str,
    schedule: Schedule | None,
    stream: Stream,
) -> FrameQuery:
    """Check everything that can be checked before a job starts."""
    source = checked_source("frames", rows, ts, by, prefix, stream)
    clash = [name for name in source.by if name in {f"{prefix}{part}" for part in FRAME_COLUMNS}]
    if clash:
        raise InvalidArgument(
            f"frames() got by={clash[0]!r}, which is a column of the frames too; choose another prefix="
        )
    ticks = None if schedule is None else _in_ticks(schedule, source.clock, scheme)
    if schedule is not None and stream.amend_within is not None:
        raise InvalidArgument(
            "frames() got schedule= and late='amend'; on a schedule rows are released before the watermark, and none "
            "is amended: leave out one of them"
        )
    scheme.limits(source.clock)
    travels = scheme.detached()
    scheme.compile(source.clock)
    inputs = tuple(scheme_input(source.rows, needed, type(scheme).__name__) for needed in scheme.inputs())
    return FrameQuery(**vars(source), scheme=travels, schedule=ticks, inputs=inputs)


def _in_ticks(schedule: Schedule, clock: Clock, scheme: Scheme) -> Ticks:
    """The schedule in ticks of the rows' clock."""
    if schedule.missing in ("true", "false") and not isinstance(scheme, Threshold):
        raise InvalidArgument(
            f"missing={schedule.missing!r} imputes reports, which only Threshold can use; use 'ends' or 'holds'"
        )
    period = clock.ticks(schedule.every, "schedule")
    deviation = 0 if schedule.jitter is None else clock.ticks(schedule.jitter, "jitter")
    if 2 * deviation >= period:
        raise InvalidArgument(f"jitter={schedule.jitter!r} must be less than half of schedule={schedule.every!r}")
    offset = None if schedule.offset is None else clock.ticks(schedule.offset, "offset")
    return Ticks(period, deviation, offset, schedule.missing, schedule.open_on)
