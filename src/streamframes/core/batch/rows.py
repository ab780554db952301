"""The columnar batches that travel: rows of many groups, and rows as they came, tagged with the frames they are in."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import mix
from streamframes.core.jit.compiled import compiled

CLOSED_BY = (None, "condition", "gap", "limit", "end of data")


@dataclass
class Rows:
    """Rows sorted by group and, within a group, in their order: `ts` first, then the tie-breaking columns.

    groups   [ 7        | 2    | 9          ]      numbers of the groups
    bounds   [ 0          4      6            11 ] row bounds[k] up to bounds[k + 1] belong to groups[k]
    ts       [ . . . .    . .    . . . . .  ]      ticks
    columns  the columns that travel with a row, in the order of the plan
    mark     what is special about a row, as bits of `kernel`; empty where no row is special
    """

    groups: np.ndarray
    bounds: np.ndarray
    ts: np.ndarray
    columns: list[pa.Array]
    mark: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))

    def __len__(self) -> int:
        return int(self.ts.size)

    @property
    def group_of_row(self) -> np.ndarray:
        """The number of each row's group."""
        return np.repeat(self.groups, np.diff(self.bounds))

    def take(self, order: np.ndarray, groups: np.ndarray, bounds: np.ndarray) -> Rows:
        """These rows in another order, which the caller has grouped."""
        indices = pa.array(order)
        columns = [column.take(indices) for column in self.columns]
        return Rows(groups, bounds, self.ts[order], columns, self.mark[order] if self.mark.size else self.mark)

    def filter(self, keep: np.ndarray) -> Rows:
        """The rows where `keep` holds, in the same order."""
        if keep.all():
            return self
        counts = np.add.reduceat(np.append(keep, False), self.bounds[:-1], dtype=np.int64)
        counts[self.bounds[:-1] == self.bounds[1:]] = 0
        left = counts > 0
        bounds = np.concatenate([[0], np.cumsum(counts[left])])
        chosen = pa.array(keep)
        columns = [column.filter(chosen) for column in self.columns]
        mark = self.mark[keep] if self.mark.size else self.mark
        return Rows(self.groups[left], bounds, self.ts[keep], columns, mark)

    def with_mark(self, rows: np.ndarray, bit: int) -> Rows:
        """The same rows, with a bit set where `rows` holds."""
        if not rows.any():
            return self
        mark = self.mark.copy() if self.mark.size else np.zeros(len(self), np.uint8)
        mark[rows] |= np.uint8(bit)
        return replace(self, mark=mark)


def no_rows(types: Sequence[pa.DataType]) -> Rows:
    """An empty batch whose columns have these types."""
    empty = np.empty(0, np.int64)
    return Rows(empty, np.zeros(1, np.int64), empty, [pa.array([], kind) for kind in types])


def control_rows(groups: np.ndarray, ts: np.ndarray, types: Sequence[pa.DataType], bits: int) -> Rows:
    """Control rows, which belong to no frame: one for each of these groups, with nothing but its mark."""
    columns = [pa.nulls(groups.size, kind) for kind in types]
    return Rows(groups, np.arange(groups.size + 1), ts, columns, np.full(groups.size, bits, np.uint8))


def before_rows(instants: np.ndarray, parts: Iterable[Rows]) -> np.ndarray:
    """The instants of groups, no later than the first of these rows."""
    instants = instants.copy()
    for rows in parts:
        np.minimum.at(instants, rows.group_of_row, rows.ts)
    return instants


def typed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers as what they stand for: ticks as instants, doubles as floats."""
    return array.cast(pa.int32()).cast(kind) if pa.types.is_date32(kind) else array.cast(kind)


@compiled
def _regroup(groups: Any, starts: Any, sizes: Any, place: Any, touched: Any, order: Any) -> int:
    """Bring the segments of each group together, keeping their order; `place` is scratch of zeros."""
    n_touched = 0
    for k in range(groups.size):
        if place[groups[k]] == 0:
            touched[n_touched] = groups[k]
            n_touched += 1
        place[groups[k]] += sizes[k]
    total = 0
    for j in range(n_touched):
        size = place[touched[j]]
        place[touched[j]] = total
        total += size
    for k in range(groups.size):
        at = place[groups[k]]
        for i in range(sizes[k]):
            order[at + i] = starts[k] + i
        place[groups[k]] = at + sizes[k]
    return n_touched


def gather(parts: Sequence[Rows]) -> Rows:
    """Several batches as one: the rows of a group stand together, part after part."""
    parts = [part for part in parts if len(part)] or list(parts[:1])
    if len(parts) == 1:
        return parts[0]
    offsets = np.cumsum([0] + [len(part) for part in parts])
    groups = np.concatenate([part.groups for part in parts])
    starts = np.concatenate([part.bounds[:-1] + at for part, at in zip(parts, offsets, strict=False)])
    sizes = np.concatenate([np.diff(part.bounds) for part in parts])
    order, touched = np.empty(offsets[-1], np.int64), np.empty(groups.size, np.int64)
    place = np.zeros(int(groups.max()) + 1, np.int64)
    n_touched = _regroup(groups, starts, sizes, place, touched, order)
    touched = touched[:n_touched]
    ts = np.concatenate([part.ts for part in parts])
    joined = Rows(groups, starts, ts, _joined_columns(parts), _joined_marks(parts))
    if n_touched == 1:
        return replace(joined, groups=touched, bounds=np.array([0, ts.size]))
    return joined.take(order, touched, np.concatenate([[0], place[touched]]))


def _joined_columns(parts: Sequence[Rows]) -> list[pa.Array]:
    width = len(parts[0].columns)
    return [pa.concat_arrays([part.columns[c] for part in parts]) for c in range(width)]


def _joined_marks(parts: Sequence[Rows]) -> np.ndarray:
    if not any(part.mark.size for part in parts):
        return np.empty(0, np.uint8)
    return np.concatenate([part.mark if part.mark.size else np.zeros(len(part), np.uint8) for part in parts])


@compiled
def _frame_ids(scheme: Any, group: Any, start: Any, lane: Any, ordinal: Any, out: Any) -> None:
    for i in range(start.size):
        value = mix(scheme ^ group[i])
        value = mix(value + np.uint64(start[i]))
        value = mix(value ^ (np.uint64(lane[i]) << np.uint64(40)) ^ np.uint64(ordinal[i]))
        out[i] = np.int64(value)


def frame_ids(scheme: int, group: np.ndarray, start: np.ndarray, lane: np.ndarray, ordinal: np.ndarray) -> np.ndarray:
    """A long for each frame: a hash of scheme, group, start and the ordinal among frames that share it."""
    out = np.empty(start.size, np.int64)
    _frame_ids(np.uint64(scheme), group, start, lane, ordinal, out)
    return out


@dataclass(frozen=True)
class TagColumn:
    """A column of tagged rows: a group column, the instant, or a travelling column."""

    name: str
    source: Literal["key", "ts", "column"]
    index: int
    type: pa.DataType


def tagged(
    tags: Sequence[TagColumn], rows: Rows, keys: Sequence[pa.Array], of_frames: Sequence[pa.Array], schema: pa.Schema
) -> pa.RecordBatch:
    """The rows as they came, beside columns of their frames; `keys` are those of each row's group."""
    columns = []
    for tag in tags:
        if tag.source == "key":
            columns.append(keys[tag.index])
        elif tag.source == "ts":
            columns.append(typed(pa.array(rows.ts), tag.type))
        else:
            columns.append(rows.columns[tag.index])
    return pa.RecordBatch.from_arrays([*columns, *of_frames], schema=schema)
