"""The plan of frames: everything the core must know of them, and nothing of the engine that carries the rows.

The columns that travel with each row stand in one order everywhere:

  tie-breaking columns of ts=[...]  |  inputs of the scheme  |  measure columns, or all columns for tag()
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.schedule import Schedule
from streamframes.core.schemes.base import Compiled, Scheme

KINDS = ("episode", "gap")


@dataclass(frozen=True)
class FrameSpec:
    """Which rows are cut into frames, how, and what is wanted of the frames.

    `keys` and `ts_type` give the group columns and the type of instants; `columns` the types of the travelling
    columns, of which `n_ties` break ties and the next are inputs. With `tags` the rows are the result,
    `keep_outside` those in no frame too; without, the frames with their `measures`, and with `fragments` also
    what is certain of them before they end.
    """

    scheme: Scheme
    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    n_ties: int = 0
    measures: tuple[Measure, ...] = ()
    tags: tuple[TagColumn, ...] = ()
    keep_outside: bool = False
    schedule: Schedule | None = None
    fragments: bool = False
    prefix: str = "frame_"

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        result = "rows" if self.tags else ", ".join(f"{m.name}={m.function} of {m.type}" for m in self.measures)
        return {
            "scheme": repr(self.scheme),
            "schedule": repr(self.schedule),
            "measures": result or "none",
            "fragments": repr(self.fragments),
        }

    @property
    def is_early(self) -> bool:
        """Whether results can be reported before they are certain."""
        return True

    @property
    def amends(self) -> bool:
        """Whether late rows can amend results; on a schedule, what follows a report depends on when it came."""
        return self.schedule is None

    @cached_property
    def input_slice(self) -> slice:
        """Where the scheme's inputs stand among the travelling columns; a scheme may parse text to name them."""
        return slice(self.n_ties, self.n_ties + len(self.scheme.inputs()))

    @cached_property
    def compiled(self) -> Compiled:
        """The scheme made ready for the kernel."""
        return self.scheme.compile(self.clock)

    @cached_property
    def frame_schema(self) -> pa.Schema:
        """The columns of the frames."""
        fields = [
            *self.keys,
            pa.field(f"{self.prefix}id", pa.int64()),
            pa.field(f"{self.prefix}start", self.ts_type),
            pa.field(f"{self.prefix}end", self.ts_type),
            pa.field(f"{self.prefix}rows", pa.int64()),
            pa.field(f"{self.prefix}closed_by", pa.string()),
        ]
        if self.compiled.gaps:
            fields.append(pa.field(f"{self.prefix}kind", pa.string()))
        if self.compiled.cell:
            fields.append(pa.field(f"{self.prefix}cell", pa.list_(pa.int64())))
        if self.schedule is not None and self.schedule.imputes:
            fields.append(pa.field(f"{self.prefix}imputed", pa.int64()))
        if self.fragments:
            fields.append(pa.field(f"{self.prefix}fragment", pa.int64()))
            fields.append(pa.field(f"{self.prefix}final", pa.bool_()))
        return pa.schema([*fields, *(pa.field(measure.name, measure.type) for measure in self.measures)])

    @cached_property
    def tag_schema(self) -> pa.Schema:
        """The columns of the tagged rows."""
        fields = [pa.field(column.name, column.type) for column in self.tags]
        return pa.schema([*fields, pa.field(f"{self.prefix}id", pa.int64())])

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of what the plan is for."""
        return self.tag_schema if self.tags else self.frame_schema
