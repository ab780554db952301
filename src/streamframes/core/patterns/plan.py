"""The plan of a pattern: everything the core must know of it, and nothing of the engine that carries the rows.

The columns that travel with each row stand in one order: those that break ties, the expressions of definitions and
measures, and for ALL ROWS PER MATCH the columns of the rows.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.rows import TagColumn
from streamframes.core.patterns.kernels.rules import NEXT_ROW, PAST_LAST, TO_FIRST, TO_LAST
from streamframes.core.patterns.language.columns import Definition, Shifted
from streamframes.core.patterns.language.leaves import (
    CLASSIFIER,
    EVERY,
    MATCH_NUMBER,
    ROWS,
    Aggregate,
    Leaf,
    Navigation,
)
from streamframes.core.patterns.language.pattern import Pattern
from streamframes.core.patterns.program import Program, program_of

# What is returned: a row for each match; all rows of matches; those without empty matches; those and unmatched rows.
ONE, ALL, ALL_OMIT_EMPTY, ALL_UNMATCHED = ROWS_PER_MATCH = ("one", "all", "all omit empty", "all with unmatched")
SKIPS = {"past last row": PAST_LAST, "to next row": NEXT_ROW, "to first": TO_FIRST, "to last": TO_LAST}


@dataclass(frozen=True)
class LeafColumn:
    """A leaf of the measures as a column of the results: its name, its type, and the expressions it reads."""

    name: str
    leaf: Leaf
    type: pa.DataType
    column: int = -1
    by: int = -1


@dataclass(frozen=True)
class PatternSpec:
    """A pattern over the rows of a table or a stream.

    `inputs` and `leaves` are what the terms of definitions name by number; `measured` are the leaves of the measures.
    """

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    ts: str
    spelling: str
    pattern: Pattern
    names: tuple[str, ...]
    definitions: tuple[Definition, ...]
    inputs: tuple[Shifted, ...] = ()
    leaves: tuple[Leaf, ...] = ()
    leaf_inputs: tuple[int, ...] = ()
    measured: tuple[LeafColumn, ...] = ()
    skip: str = "past last row"
    skip_mask: int = EVERY
    within: int | None = None
    timeouts: bool = False
    rows_per_match: str = ONE
    tags: tuple[TagColumn, ...] = ()
    n_ties: int = 0
    prefix: str = "frame_"

    @cached_property
    def program(self) -> Program:
        """The pattern as steps."""
        return program_of(self.pattern, self.names)

    @property
    def all_rows(self) -> bool:
        """Whether results are the rows of matches."""
        return self.rows_per_match != ONE

    @cached_property
    def has_history(self) -> bool:
        """Whether a definition asks what has been matched."""
        return any(each.history is not None for each in self.definitions)

    @cached_property
    def needs_steps(self) -> bool:
        """Whether it matters which row is of which variable."""
        leaves = [each.leaf for each in self.measured]
        return (
            self.all_rows
            or self.has_history
            or self.timeouts
            or self.skip in ("to first", "to last")
            or any(_needs_variables(leaf) for leaf in leaves)
        )

    @cached_property
    def reach(self) -> tuple[int, int, int]:
        """How many rows back anything looks, and how many rows further definitions and measures look."""
        shifts = [int(name.removeprefix("prev")) for name in self._shifted("prev")]
        ahead = [int(name.removeprefix("next")) for name in self._shifted("next")]
        inner = [each.shift for each in self.inputs]
        own = [leaf.shift for leaf in self.leaves if isinstance(leaf, Navigation)]
        shown = [each.leaf.shift for each in self.measured if isinstance(each.leaf, Navigation)]
        back = max([0, *shifts, *(-shift for shift in (*inner, *own, *shown))])
        return back, max([0, *ahead, *inner, *own]), max([0, *shown])

    def _shifted(self, which: str) -> list[str]:
        expressions = [each for definition in self.definitions for each in definition.ordered]
        names = [name.partition("_")[2] for each in expressions for name in each.columns]
        return [name for name in names if name.startswith(which)]

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        return {"pattern": self.spelling, "rows_per_match": self.rows_per_match}

    @property
    def salt(self) -> int:
        """What makes the ids of the matches of this pattern differ from those of others."""
        return int.from_bytes(hashlib.blake2b(self.spelling.encode(), digest_size=8).digest())

    @cached_property
    def frame_schema(self) -> pa.Schema:
        """The columns of matches."""
        named = {
            "id": pa.int64(),
            "start": self.ts_type,
            "end": self.ts_type,
            "rows": pa.int64(),
            "closed_by": pa.string(),
        }
        own = [pa.field(f"{self.prefix}{name}", kind) for name, kind in named.items()]
        measured = [pa.field(each.name, each.type) for each in self.measured]
        return pa.schema([*self.keys, *own, pa.field("match_number", pa.int64()), *measured])

    @cached_property
    def result_schema(self) -> pa.Schema:
        """The columns of the results: of matches, or of rows and their matches."""
        if not self.all_rows:
            return self.frame_schema
        rows = [pa.field(tag.name, tag.type) for tag in self.tags]
        of_match = list(self.frame_schema)[len(self.keys) :]
        at = 6
        return pa.schema([*rows, *of_match[:at], pa.field("classifier", pa.string()), *of_match[at:]])


def _needs_variables(leaf: Leaf) -> bool:
    """Whether a leaf depends on which row is of which variable."""
    if isinstance(leaf, Navigation):
        return leaf.mask != EVERY or leaf.what == CLASSIFIER
    return isinstance(leaf, Aggregate) and (leaf.mask != EVERY or CLASSIFIER in (leaf.what, leaf.by))


def type_of_leaf(leaf: Leaf, kinds: dict[str, pa.DataType]) -> pa.DataType | None:
    """The type of a leaf's values, as Spark would have it; None where the aggregate does not take such values."""
    known = {CLASSIFIER: pa.string(), MATCH_NUMBER: pa.int64(), ROWS: pa.int64(), **kinds}
    if isinstance(leaf, Navigation):
        return known[leaf.what]
    if not isinstance(leaf, Aggregate):
        return pa.int64()
    kind = known[leaf.what]
    if leaf.function == "count":
        return pa.int64()
    if leaf.function == "collect_list":
        return pa.list_(pa.field("element", kind, False))
    if leaf.function in ("sum", "avg"):
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            return None
        return pa.int64() if leaf.function == "sum" and pa.types.is_integer(kind) else pa.float64()
    compared = kind if leaf.by is None else known[leaf.by]
    nested = pa.types.is_nested(compared) or pa.types.is_null(compared)
    return None if nested else kind
