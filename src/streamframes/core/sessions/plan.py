"""The plan of sessions: a resolved tree, and how events come to it; nothing of the engine that carries the rows.

The columns that travel with each row stand in one order: those that break ties, the columns of the events, and for
tag() all others. A column of the events may also be a group column, which does not travel.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import mix
from streamframes.core.batch.rows import TagColumn
from streamframes.core.sessions.commands import MeasureCommands
from streamframes.core.sessions.language.nodes import Class, Measure, Node, path_of
from streamframes.core.sessions.language.terms import DOUBLE, DURATION, Term
from streamframes.core.sessions.partials import SCHEMA
from streamframes.core.sessions.partitioning import BY_PARTS, BY_ROOT
from streamframes.core.sessions.user_functions import Function

# The results: closed sessions, measures, events with ids, what is open, and events that hint at errors in the log.
SESSIONS, MEASURES, TAGGED, OPEN, DIAGNOSTICS = ("sessions", "measures", "tagged", "open", "diagnostics")


@dataclass(frozen=True)
class OutputColumn:
    """A column of the results of sessions: its name and type, and for each class that has it, the term it shows."""

    name: str
    type: pa.DataType
    kind: str
    terms: tuple[tuple[int, Term], ...]


@dataclass(frozen=True)
class SessionSpec:
    """A tree of sessions over the rows of a table or a stream.

    `event_at` says where each column of the events is: a travelling column, or, from -1 down, a group column;
    `bits` says for a column that shares its place with others at which bit it is, or -1;
    `grouped` are the classes whose key the group is; `chosen` those whose sessions are results.
    """

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    ts: str
    classes: tuple[Class, ...]
    nodes: tuple[Node, ...]
    measures: tuple[Measure, ...]
    event_at: tuple[int, ...]
    grouped: tuple[int, ...]
    bits: tuple[int, ...] = ()
    functions: tuple[Function, ...] = ()
    n_ties: int = 0
    partitioning: str = BY_ROOT
    output: str = SESSIONS
    chosen: tuple[int, ...] = ()
    output_columns: tuple[OutputColumn, ...] = ()
    tags: tuple[TagColumn, ...] = ()
    keep_outside: bool = False
    prefix: str = "frame_"
    spelling: str = ""
    commands: MeasureCommands | None = None

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        names = ", ".join(measure.name for measure in self.measures) or "none"
        return {
            "tree": _digest(self.spelling),
            "measures": f"{names} with the digest {_digest(repr((self.nodes, self.measures)))}",
            "output": self.output,
        }

    @property
    def merges_root(self) -> bool:
        """Whether the root has parts in other places, so that what it receives is a result instead of kept."""
        return self.partitioning == BY_PARTS

    @property
    def own_measures(self) -> tuple[Measure, ...]:
        """The measures that are known in one place."""
        return tuple(each for each in self.measures if not self.merges_root or self.nodes[each.node].cls != 0)

    @property
    def root_measures(self) -> tuple[Measure, ...]:
        """The measures of a root that is merged."""
        return tuple(each for each in self.measures if self.merges_root and self.nodes[each.node].cls == 0)

    @property
    def ticks_per_second(self) -> int:
        """How long a second is; dates and plain numbers are their own measure."""
        return 1_000_000 if self.clock.kind == "timestamp" else 1

    @property
    def has_timeouts(self) -> bool:
        """Whether time alone can close a session."""
        return any(each.timeout is not None for each in self.classes)

    def salt(self, cls: int) -> int:
        """What makes the ids of the sessions of a class differ from those of others."""
        path = " > ".join(self.classes[each].name for each in reversed(path_of(self.classes, cls)))
        digest = hashlib.blake2b(f"sessions {path}".encode(), digest_size=8).digest()
        return int.from_bytes(digest, "little", signed=True)

    @property
    def lasting_id(self) -> int:
        """The id of a root that never ends."""
        return int(np.array(mix(np.uint64(self.salt(0) % 2**64))).view(np.int64))

    def numbers(self, node: int, words: np.ndarray) -> np.ndarray:
        """The words of a node as numbers; durations in seconds."""
        kind = self.nodes[node].type
        if kind == DOUBLE:
            return np.ascontiguousarray(words).view(np.float64)
        return words / self.ticks_per_second if kind == DURATION else words.astype(np.float64)

    def is_many(self, cls: int) -> bool:
        """Whether an event may belong to several sessions of a class at once."""
        return any(self.classes[each].matches is not None for each in path_of(self.classes, cls))

    @cached_property
    def frame_schema(self) -> pa.Schema:
        """The columns of closed sessions."""
        named = {
            "id": pa.int64(),
            "start": self.ts_type,
            "end": self.ts_type,
            "rows": pa.int64(),
            "closed_by": pa.string(),
            "class": pa.string(),
            "parent": pa.int64(),
            "level": pa.int32(),
        }
        own = [pa.field(f"{self.prefix}{name}", kind) for name, kind in named.items()]
        return pa.schema([*self.keys, *own, *(pa.field(each.name, each.type) for each in self.output_columns)])

    @cached_property
    def result_schema(self) -> pa.Schema:
        """The columns of what the plan is for."""
        at = pa.field(self.ts, self.ts_type)
        values = [("class", pa.string()), ("id", pa.int64()), ("measure", pa.string()), ("value", pa.float64())]
        ids = [(f"{self.classes[cls].name}_id", pa.int64()) for cls in self.chosen]
        return {
            SESSIONS: self.frame_schema,
            OPEN: self.frame_schema,
            # Where the root is merged, a row is a measure, or what the root has received.
            MEASURES: SCHEMA if self.merges_root else pa.schema([at, *values]),
            TAGGED: pa.schema(
                [
                    *(pa.field(column.name, column.type) for column in self.tags),
                    *(
                        pa.field(name, pa.list_(kind) if self.is_many(cls) else kind)
                        for cls, (name, kind) in zip(self.chosen, ids, strict=True)
                    ),
                ]
            ),
            DIAGNOSTICS: pa.schema(
                [("class", pa.string()), ("null_keys", pa.int64()), ("unmatched_closes", pa.int64())]
            ),
        }[self.output]


def _digest(text: str) -> str:
    """A short name for a text."""
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
