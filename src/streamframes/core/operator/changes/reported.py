"""What was last reported of each frame, and the changes that bring it up to what holds now.

reported   A v0 open   B v2 final    C retracted
holds now  A longer    B as it was   D
changes    A v1 open                 D v0 open
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.groups import GroupIndex, as_int64, fingerprints
from streamframes.core.batch.tree import Tree, array_at, tree_at
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.stream_bucket import StreamBucket

# The levels of a frame that no watermark has made certain: what rows have closed that were not the last ones of their
# group, and what only holds were no other row to come.
AHEAD, PROVISIONAL = -1, -2
OPEN = "open"
_END_OF_DATA = "end of data"
_ARRAYS = ("first", "second", "ids", "starts", "version", "level", "retracted", "digest", "again")


def change_schema(plan: OperatorPlan) -> pa.Schema:
    """The columns of changes: those of frames, and what a change says of them."""
    named = {"version": pa.int64(), "final": pa.bool_(), "retracted": pa.bool_()}
    return pa.schema([*plan.result_schema, *(pa.field(f"{plan.prefix}{name}", kind) for name, kind in named.items())])


@dataclass
class FrameTable:
    """Frames with their group, their start in ticks, a digest of their columns, and what has been reported of them."""

    frames: pa.RecordBatch
    first: np.ndarray
    second: np.ndarray
    ids: np.ndarray
    starts: np.ndarray
    version: np.ndarray
    level: np.ndarray
    retracted: np.ndarray
    digest: np.ndarray
    again: np.ndarray

    def __len__(self) -> int:
        return int(self.ids.size)

    def take(self, places: np.ndarray) -> FrameTable:
        """Some of the frames."""
        return FrameTable(self.frames.take(pa.array(places)), *(getattr(self, name)[places] for name in _ARRAYS))

    def __add__(self, other: FrameTable) -> FrameTable:
        frames = pa.concat_batches([self.frames, other.frames])
        return FrameTable(frames, *(np.concatenate([getattr(self, name), getattr(other, name)]) for name in _ARRAYS))


def frame_table(plan: OperatorPlan, found: list[tuple[int, list[pa.RecordBatch]]]) -> FrameTable:
    """The frames that each level has found, as they were not reported yet; of the same frame, the highest level."""
    batches = [(level, batch) for level, batches in found for batch in batches]
    frames = pa.concat_batches([_opened(plan, level, batch) for level, batch in batches] or [_none(plan.result_schema)])
    sizes = np.array([batch.num_rows for _, batch in batches], np.int64)
    level = np.repeat(np.array([level for level, _ in batches], np.int64), sizes)
    ids = as_int64(frames.column(f"{plan.prefix}id"))
    order = np.lexsort((level, ids))
    last = np.append(ids[order][1:] != ids[order][:-1], True)[: ids.size]
    if not last.all():
        places = order[last]
        frames, ids, level = frames.take(pa.array(places)), ids[places], level[places]
    keys, others = frames.columns[: len(plan.keys)], _flattened(plan, frames)
    zeros = np.zeros(ids.size, np.int64)
    starts = as_int64(frames.column(f"{plan.prefix}start"))
    digests = fingerprints(others, ids.size)
    return FrameTable(
        frames, *fingerprints(keys, ids.size), ids, starts, zeros, level, zeros.astype(np.bool_), *digests
    )


def _opened(plan: OperatorPlan, level: int, frames: pa.RecordBatch) -> pa.RecordBatch:
    """What the end of the data would close is open."""
    if level != PROVISIONAL:
        return frames
    name = f"{plan.prefix}closed_by"
    place = frames.schema.get_field_index(name)
    reasons = frames.column(place)
    is_open = pc.equal(reasons, _END_OF_DATA).fill_null(False)
    return frames.set_column(place, frames.schema.field(place), pc.if_else(is_open, OPEN, reasons))


def _flattened(plan: OperatorPlan, frames: pa.RecordBatch) -> list[pa.Array]:
    """The columns of frames behind those of their group; a cell as so many columns, which are quicker to look at."""
    columns: list[pa.Array] = []
    for field, column in list(zip(frames.schema, frames.columns, strict=True))[len(plan.keys) :]:
        if field.name == f"{plan.prefix}cell" and len(column):
            columns += [pc.list_element(column, i) for i in range(len(column[0]))]
        else:
            columns.append(column)
    return columns


def _none(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], field.type) for field in schema], schema=schema)


class Reported:
    """What was last reported of each frame of a bucket that may still change, and of those taken back.

    A frame is final from level `certain` on, and cannot change from level `settled` on: then it is forgotten.
    """

    def __init__(self, plan: OperatorPlan, certain: int, settled: int) -> None:
        self.plan = plan
        self.certain = certain
        self.settled = settled
        self.schema = change_schema(plan)
        self.table = frame_table(plan, [])

    def __len__(self) -> int:
        return len(self.table)

    def changes(self, now: FrameTable, groups: GroupIndex, up_to_level: np.ndarray) -> list[pa.RecordBatch]:
        """The changes that `now` makes, retractions first.

        Of each of `groups`, `now` has all frames but those that are of a level beyond `up_to_level`; of other groups it
        has frames that have been found by further levels.
        """
        table = self.table
        of_frame, before = _matched(now.ids, table.ids)
        number = groups.find(table.first, table.second)
        replaced = (number >= 0) & (table.level <= np.append(up_to_level, PROVISIONAL)[number])
        lost = replaced & ~table.retracted & (of_frame < 0)
        known = before >= 0
        old = table.take(before[known])
        now.level[known] = np.where(replaced[before[known]], now.level[known], np.maximum(now.level[known], old.level))
        same = np.zeros(len(now), np.bool_)
        same[known] = (
            ~old.retracted
            & (old.digest == now.digest[known])
            & (old.again == now.again[known])
            & ((old.level >= self.certain) == (now.level[known] >= self.certain))
        )
        now.version[known] = old.version + ~same[known]
        table.version[lost] += 1
        table.retracted[lost] = True
        self.table = table.take(np.flatnonzero(of_frame < 0)) + now
        return [*self._rows(table.take(np.flatnonzero(lost))), *self._rows(now.take(np.flatnonzero(~same)))]

    def forget(self, oldest: StreamBucket) -> None:
        """Forget the frames that cannot change any more: nothing is still to be reported that starts as early."""
        table = self.table
        numbers = oldest.operator.groups.find(table.first, table.second)
        starts = np.append(oldest.operator.min_unreported_start(oldest.watermarks), oldest.watermark)[numbers]
        gone = (table.starts < starts) & (table.retracted | (table.level >= self.certain))
        kept = ~gone & (table.retracted | (table.level < self.settled))
        if not kept.all():
            self.table = table.take(np.flatnonzero(kept))

    def _rows(self, table: FrameTable) -> list[pa.RecordBatch]:
        if not len(table):
            return []
        final = (table.level >= self.certain) & ~table.retracted
        columns = [*table.frames.columns, pa.array(table.version), pa.array(final), pa.array(table.retracted)]
        return [pa.RecordBatch.from_arrays(columns, schema=self.schema)]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        frames = {str(i): column for i, column in enumerate(self.table.frames.columns)}
        return {"frames": frames, **{name: getattr(self.table, name) for name in _ARRAYS}}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        columns = list(tree_at(tree, "frames").values())
        frames = pa.RecordBatch.from_arrays(columns, schema=self.plan.result_schema)
        self.table = FrameTable(frames, *(array_at(tree, name) for name in _ARRAYS))


def _matched(these: np.ndarray, those: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each of `those` its place among `these`, and the other way round; -1 where there is none."""
    order = np.argsort(these)
    at = np.searchsorted(these[order], those)
    inside = at < these.size
    found = np.where(inside, order[np.minimum(at, these.size - 1)] if these.size else 0, 0)
    equal = inside & (these[found] == those) if these.size else inside
    back = np.full(these.size, -1)
    back[found[equal]] = np.flatnonzero(equal)
    return np.where(equal, found, -1), back
