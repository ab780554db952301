"""First and last: the value of a frame's first or last row, of any type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree, arrow_at
from streamframes.core.frames.measures.measure import Carry, Measure
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState


@compiled
def _first_and_last_rows(frame_of_row: Any, first: Any, last: Any) -> None:
    for i in range(frame_of_row.size):
        frame = frame_of_row[i]
        if frame >= 0:
            if first[frame] < 0:
                first[frame] = i
            last[frame] = i


class FirstLastAccumulator(GroupState):
    """first or last of each open frame.

    `values` holds one value for each open frame, `place` says at which position, counted from 1; a frame of
    made-up reports alone has none.
    """

    per_group = ("place",)

    def __init__(self, measure: Measure, n_lanes: int) -> None:
        self.measure = measure
        self.n_lanes = n_lanes
        self.values = pa.array([], measure.type)
        self.place = np.zeros((0, n_lanes), np.int64)

    def snapshot(self, n_groups: int) -> Tree:
        """The places, and the values there."""
        return {**super().snapshot(n_groups), "values": self.values}

    def restore(self, tree: Tree) -> None:
        """Go on from what was saved."""
        super().restore(tree)
        self.values = arrow_at(tree, "values")

    def chosen(self, numbers: np.ndarray) -> dict[str, np.ndarray | pa.Array]:
        """The values of these groups, side by side."""
        place = self.place[numbers]
        there = place > 0
        values = self.values.take(pa.array(place[there] - 1))
        place[there] = np.arange(1, len(values) + 1)
        return {"place": place, "values": values}

    def adopt(self, numbers: np.ndarray, arrays: dict[str, np.ndarray | pa.Array]) -> None:
        """Values of another are added; those that they replace are dropped with the next rows."""
        place = arrays["place"]
        self.place[numbers] = np.where(place > 0, place + len(self.values), 0)
        self.values = pa.concat_arrays([self.values, arrays["values"]])

    def feed(self, frames: Carry, rows: Rows, frame_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Look at the rows of the frames; returns the measure of the wanted ones."""
        self.grow(n_groups)
        place = self.place.reshape(-1)
        lane_id, goes_on = frames.lane_id, frames.goes_on
        first, last = np.full(lane_id.size, -1), np.full(lane_id.size, -1)
        for lane in range(self.n_lanes):
            _first_and_last_rows(frame_of_row[:, lane], first, last)
        from_before = np.where(goes_on, place[lane_id], 0)
        nothing = len(rows) + len(self.values)
        index = np.where(from_before > 0, from_before - 1 + len(rows), nothing)
        if self.measure.function == "first":
            index = np.where((index == nothing) & (first >= 0), first, index)
        else:
            index = np.where(last >= 0, last, index)
        column = rows.columns[self.measure.column or 0].cast(self.measure.type)
        candidates = pa.concat_arrays([column, self.values, pa.nulls(1, self.measure.type)])
        self._remember(candidates, index, lane_id, frames.stays & (index != nothing), len(rows))
        return candidates.take(pa.array(index[wanted]))

    def _remember(
        self, candidates: pa.Array, index: np.ndarray, lane_id: np.ndarray, keep: np.ndarray, shift: int
    ) -> None:
        """Keep one value for each open frame: those of these frames, and those of groups that had no row."""
        place = self.place.reshape(-1)
        place[lane_id] = 0
        others = np.flatnonzero(place)
        kept = np.concatenate([index[keep], place[others] - 1 + shift])
        place[np.concatenate([lane_id[keep], others])] = np.arange(1, kept.size + 1)
        self.values = candidates.take(pa.array(kept))

    def finish(self, lane_id: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        place = self.place.reshape(-1)[lane_id]
        return self.values.take(pa.array(place - 1, mask=place == 0))
