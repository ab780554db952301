"""Emitted frames: the runs of a scan that are reported, as frames or fragments, field by field."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import CLOSED_BY
from streamframes.core.frames.kernel import RUN_FIELDS, RUN_GROUP
from streamframes.core.frames.scanner import Runs
from streamframes.core.jit.compiled import compiled

# A column of up to so many equal names is cut from one that is kept.
_SAME = 1 << 16


@dataclass(frozen=True)
class EmittedFrames:
    """Frames by field: `fields[RUN_START]` are their starts, and so on.

    `own` is the own state with which each began, `numbers` are those of fragments, `values` the measures.
    """

    fields: np.ndarray
    own: np.ndarray
    numbers: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    values: list[pa.Array] = field(default_factory=list)

    def __len__(self) -> int:
        return int(self.fields.shape[1])

    def take(self, places: np.ndarray) -> EmittedFrames:
        """Some of them."""
        fields = np.ascontiguousarray(self.fields[:, places])
        own, numbers = (each[places] if each.size else each for each in (self.own, self.numbers))
        return EmittedFrames(fields, own, numbers, [column.take(pa.array(places)) for column in self.values])

    @property
    def groups(self) -> np.ndarray:
        """The number of each frame's group."""
        return np.asarray(self.fields[RUN_GROUP])


@compiled
def _transposed(table: Any, wanted: Any, fields: Any) -> None:
    n = 0
    for i in range(wanted.size):
        if wanted[i]:
            for j in range(fields.shape[0]):
                fields[j, n] = table[i, j]
            n += 1


def fields_of(runs: Runs, wanted: np.ndarray) -> np.ndarray:
    """The fields of wanted runs, one after the other."""
    fields = np.empty((RUN_FIELDS, int(np.count_nonzero(wanted))), np.int64)
    _transposed(runs.table, wanted, fields)
    return fields


def emitted_frames(runs: Runs, wanted: np.ndarray, numbers: np.ndarray, values: list[pa.Array]) -> EmittedFrames:
    """The wanted runs; `numbers` are those of all runs, `values` of wanted ones already."""
    own, numbers = (each[wanted] if each.size else each for each in (runs.own, numbers))
    return EmittedFrames(fields_of(runs, wanted), own, numbers, values)


def closed_by(reasons: np.ndarray) -> pa.Array:
    """Why frames ended, by name; most often it is the same for all."""
    if reasons.size <= _SAME and reasons.size and (reasons == reasons[0]).all():
        return _same(int(reasons[0])).slice(0, reasons.size)
    return pa.array(CLOSED_BY).take(pa.array(reasons))


@cache
def _same(reason: int) -> pa.Array:
    return pa.array([CLOSED_BY[reason]], pa.string()).take(pa.array(np.zeros(_SAME, np.int8)))
