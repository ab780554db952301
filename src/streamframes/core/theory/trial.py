"""Trials: a scheme on a few rows, without an engine; for doctests, for the laws, and to explore a scheme."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.reorder_buffer import ReorderBuffer
from streamframes.core.batch.rows import Rows
from streamframes.core.frames.operator import FrameOperator, FramePlan
from streamframes.core.frames.schedule import Schedule
from streamframes.core.schemes.base import Input, Scheme
from streamframes.errors import InvalidArgument


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

    def __repr__(self) -> str:
        shown = [(field.name, getattr(self, field.name)) for field in fields(self)]
        return f"Frame({', '.join(f'{name}={value!r}' for name, value in shown if value is not None)})"


def frames_of(
    scheme: Scheme, *, ts: Sequence[int], schedule: Schedule | None = None, **columns: Sequence[object]
) -> list[Frame]:
    """The frames of one group of rows with integer instants; one column for each input of the scheme, in order.

    >>> from streamframes.core.schemes import Gap
    >>> frames_of(Gap(5), ts=[9, 1, 2])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=9, end=9, rows=1, closed_by='end of data')]
    """
    trial = Trial(scheme, ts=ts, columns=columns, schedule=schedule)
    return trial.frames([range(len(ts))])


@dataclass
class Trial:
    """Rows of one group, to be fed to a scheme at once or batch by batch."""

    scheme: Scheme
    ts: Sequence[int]
    columns: Mapping[str, Sequence[object]]
    schedule: Schedule | None = None

    def __post_init__(self) -> None:
        inputs = self.scheme.inputs()
        if len(inputs) != len(self.columns):
            names = ", ".join(input.name for input in inputs) or "no columns"
            raise InvalidArgument(f"{type(self.scheme).__name__} needs {names}; got {', '.join(self.columns)}")
        for name, values in self.columns.items():
            if len(values) != len(self.ts):
                raise InvalidArgument(f"{name}={values!r} has {len(values)} values but ts has {len(self.ts)}")
        if not all(isinstance(instant, int) for instant in self.ts):
            raise InvalidArgument(f"ts={list(self.ts)!r} must be whole numbers; timestamps and nulls need frames()")
        named = zip(self.columns.items(), inputs, strict=True)
        arrays = [_array(name, values, needed) for (name, values), needed in named]
        self.arrays = arrays
        self.plan = FramePlan(
            scheme=self.scheme,
            clock=Clock("integer"),
            keys=pa.schema([]),
            ts_type=pa.int64(),
            columns=tuple(array.type for array in arrays),
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


def _array(name: str, values: Sequence[object], needed: Input) -> pa.Array:
    try:
        if needed.kind == "condition":
            return pa.array(values, pa.bool_())
        array = pa.array(values, from_pandas=False)
        whole = needed.kind != "number" or pa.types.is_integer(array.type)
        return array if whole else array.cast(pa.float64())
    except pa.ArrowInvalid:
        kinds = {
            "condition": "True or False: there is no SQL here, give what the condition yields",
            "number": "numbers",
        }
        wanted = kinds.get(needed.kind, "values of one type")
        raise InvalidArgument(f"{name}={list(values)!r} must be {wanted}") from None


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
