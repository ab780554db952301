"""Trials: a scheme on a few rows, without an engine; for doctests, for the laws, and to explore a scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.reorder_buffer import ReorderBuffer
from streamframes.core.batch.rows import Rows
from streamframes.core.frames.operator import FrameOperator, FramePlan
from streamframes.core.frames.schedule import Schedule
from streamframes.core.schemes.base import Scheme
from streamframes.core.theory.given import Values, brief, inputs_of, instants_of, typed
from streamframes.errors import InvalidArgument

INTEGERS = Clock("integer")


@dataclass(frozen=True, repr=False)
class Frame:
    """A frame as a value: what one row of a frame table says, without group and id."""

    start: Any
    end: Any
    rows: int
    closed_by: str
    kind: str | None = None
    cell: tuple[int, ...] | None = None
    imputed: int | None = None

    @property
    def duration(self) -> Any:
        """How long it is, from the first row to the last: a timedelta, or a whole number."""
        return self.end - self.start

    def __repr__(self) -> str:
        shown = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return f"Frame({', '.join(f'{name}={value!r}' for name, value in shown if value is not None)})"


def frames_of(scheme: Scheme, *, ts: Values, schedule: Schedule | None = None, **columns: Values) -> list[Frame]:
    """The frames of one group of rows, without Spark.

    Parameters
    ----------
    scheme
        Where to cut.
    ts
        Whole numbers, datetimes or dates, in any order; start and end of the frames are of their kind.
    schedule
        When rows are expected, in ticks.
    columns
        The columns that the scheme names: lists, arrays of NumPy or Arrow, Series. Where an expression cannot be
        computed of them, a column named like its input (`where`, `until`) gives its values.

    >>> from streamframes.core.schemes import Gap, Threshold
    >>> frames_of(Gap(5), ts=[9, 1, 2])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=9, end=9, rows=1, closed_by='end of data')]
    >>> frames_of(Threshold("loss > 0.3"), ts=[1, 2, 3], loss=[0.5, 0.4, 0.1])
    [Frame(start=1, end=2, rows=2, closed_by='condition')]
    """
    instants = instants_of(ts)
    for name, values in columns.items():
        if len(values) != len(instants.ticks):
            raise InvalidArgument(f"{brief(name, values)} has {len(values)} values but ts has {len(instants.ticks)}")
    inputs = {str(place): values for place, values in enumerate(inputs_of(scheme, columns))}
    trial = Trial(scheme, instants.ticks, inputs, schedule, instants.clock, instants.type)
    return trial.frames([range(len(instants.ticks))])


@dataclass
class Trial:
    """Rows of one group, to be fed to a scheme at once or batch by batch; a column for each input, in order."""

    scheme: Scheme
    ts: Sequence[int]
    columns: Mapping[str, Values]
    schedule: Schedule | None = None
    clock: Clock = INTEGERS
    ts_type: pa.DataType = field(default_factory=pa.int64)

    def __post_init__(self) -> None:
        named = zip(self.columns.items(), self.scheme.inputs(), strict=True)
        self.arrays = [typed(name, values, needed) for (name, values), needed in named]
        self.plan = FramePlan(
            scheme=self.scheme,
            clock=self.clock,
            keys=pa.schema([]),
            ts_type=self.ts_type,
            columns=tuple(array.type for array in self.arrays),
            schedule=self.schedule,
        )

    def frames(self, cuts: Iterable[Iterable[int]]) -> list[Frame]:
        """The frames when the rows arrive in these batches of row numbers; a batch is released as it is."""
        operator = start_operator(self.plan)
        results: list[pa.RecordBatch] = []
        for batch in cuts:
            results += operator.feed(self.released(list(batch)))
        return frames_in([*results, *operator.finish()])

    def released(self, numbers: list[int]) -> Rows:
        """Some of the rows, in order."""
        room = ReorderBuffer(self.plan.columns)
        room.add(self.rows(numbers))
        return room.release(None)

    def rows(self, numbers: list[int]) -> Rows:
        """Some of the rows, sorted by ts."""
        picked = np.array(sorted(numbers, key=lambda number: self.ts[number]), np.int64)
        ts = np.array(self.ts, np.int64)[picked] if picked.size else np.empty(0, np.int64)
        groups, bounds = (
            np.zeros(min(1, picked.size), np.int64),
            np.array([0, picked.size][: 1 + min(1, picked.size)]),
        )
        return Rows(groups, bounds, ts, [array.take(pa.array(picked)) for array in self.arrays])


def start_operator(plan: FramePlan, *, live: bool = False) -> FrameOperator:
    """An operator that knows the one group there is."""
    operator = FrameOperator(plan, live=live)
    one = np.zeros(1, np.uint64)
    operator.groups.numbers(one, one, pa.RecordBatch.from_arrays([], []))
    return operator


def frames_in(batches: Iterable[pa.RecordBatch]) -> list[Frame]:
    """The frames of a result, in reading order."""
    return sorted((frame for batch in batches for frame in _frames(batch)), key=in_reading_order)


def _frames(batch: pa.RecordBatch) -> Iterable[Frame]:
    names = [field.name for field in fields(Frame)]
    for row in batch.to_pylist():
        values = {name: row.get(f"frame_{name}") for name in names}
        frame = Frame(**values)
        yield replace(frame, cell=tuple(frame.cell)) if frame.cell is not None else frame


def in_reading_order(frame: Frame) -> tuple[object, ...]:
    """A key that sorts frames by time, whatever their kind."""
    return frame.start, frame.end, frame.rows, frame.closed_by, frame.kind or "", frame.cell or ()
