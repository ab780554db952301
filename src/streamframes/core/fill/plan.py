"""The plan of a filling: what frames look like, what rows bring, and what is wanted of them."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.measures import Measure

# The inputs: rows are fed in their order, frames are taken as they come.
ROWS, FRAMES = range(2)


@dataclass(frozen=True)
class Placed:
    """A dimension of space: the columns of a frame's edges, and where among the columns of a row its place is."""

    low: str
    high: str
    column: int


@dataclass(frozen=True)
class FillSpec:
    """Frames that are filled with rows of their group.

    `frames` are all columns of a frame; `keys` the group columns in which a row must agree with a frame; `ts_type` the
    type of the rows' instants; `columns` the types of what travels with a row. With `tags` the rows are the result,
    each with the columns `frame_columns` of its frame; without, the frames with their `measures`, and those without
    rows only if `keep_empty`. With `fragments` a frame comes several times and grows. With `places` a row must also
    lie between the edges of a frame in space.
    """

    frames: pa.Schema
    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    places: tuple[Placed, ...] = ()
    measures: tuple[Measure, ...] = ()
    tags: tuple[TagColumn, ...] = ()
    frame_columns: tuple[str, ...] = ()
    keep_empty: bool = True
    fragments: bool = False
    prefix: str = "frame_"

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        result = "rows" if self.tags else ", ".join(f"{m.name}={m.function} of {m.type}" for m in self.measures)
        return {
            "measures": result or "none",
            "space": ", ".join(placed.low for placed in self.places) or "none",
            "keep_empty": repr(self.keep_empty),
        }

    @property
    def frame_layout(self) -> Layout:
        """How frames are packed: by their start, with all of their columns."""
        return Layout(self.keys, self.frames.field(f"{self.prefix}start").type, tuple(self.frames.types))

    @property
    def frame_schema(self) -> pa.Schema:
        """The columns of the frames."""
        return self.frames

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        if self.tags:
            of_frame = [self.frames.field(name) for name in self.frame_columns]
            return pa.schema([*(pa.field(tag.name, tag.type) for tag in self.tags), *of_frame])
        return pa.schema([*self.frames, *(pa.field(measure.name, measure.type) for measure in self.measures)])
