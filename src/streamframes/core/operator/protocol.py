"""The contract: what stands in a bucket, and the plan that makes it.

  rows of a bucket, in order ──> Operator ──> results
  watermarks of its groups ───┘      └──> state, figures, what may still come

The bucket of a table (`table_bucket`) and the bucket of a stream (`stream_bucket`) know an operator by these members
alone. Frames, bursts, sessions, regions and fill implement them; docs/operators.md adds one more.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree
from streamframes.errors import StreamFramesError

# The watermarks of a table: nothing is known of what is still to come.
NO_WATERMARKS = np.empty(0, np.int64)

# A command as it came: its columns in the order of the plan.
Command: TypeAlias = "tuple[str | int | float | None, ...]"


@runtime_checkable
class Operator(Protocol):
    """A plan at work on the groups of one bucket.

    Groups have numbers, those of `groups`. Watermarks are instants by group number: all rows of the group before it
    have been seen. Where an operator has several inputs, those of input 0 are fed.
    """

    groups: GroupIndex

    @abstractmethod
    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterable[pa.RecordBatch]:
        """The results that these rows settle, and those that the watermarks settle, where there are any.

        The rows of a group come in order, and no later than the watermark of the group.
        """

    @abstractmethod
    def finish(self) -> Iterable[pa.RecordBatch]:
        """The results that the end of the data settles."""

    @abstractmethod
    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which nothing starts that is still to be reported."""

    def output_watermark(self, watermarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each group: before which instant no further result starts, and up to which all that end are known."""
        starts = self.min_unreported_start(watermarks)
        return starts, starts - 1

    @abstractmethod
    def idle_groups(self) -> np.ndarray:
        """For each group whether nothing need be remembered of it."""

    @abstractmethod
    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these, which are numbered anew in this order."""

    @abstractmethod
    def snapshot(self) -> Tree:
        """The whole state, as a tree for the codec."""

    @abstractmethod
    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot of the same plan."""

    def copy(self, numbers: np.ndarray) -> Operator:
        """An operator that goes on from here with these groups alone, numbered anew; nothing changes here."""
        raise StreamFramesError(f"{type(self).__name__} cannot be copied, as results before they are certain need it")

    def adopt(self, numbers: np.ndarray, other: Operator, theirs: np.ndarray) -> None:
        """Take what another operator of the plan knows of `theirs` as what is known of `numbers`."""
        raise StreamFramesError(f"{type(self).__name__} cannot take groups over, as results that are amended need it")

    def figures(self) -> dict[str, int]:
        """Open frames, rows held back, and the plan's own counters since they were asked for last."""
        return {"open": 0, "held": 0}

    def apply(self, commands: Iterable[Command]) -> tuple[list[pa.RecordBatch], int]:
        """Carry out commands; returns the results they settle, and how many commands mean nothing."""
        return [], sum(1 for _ in commands)

    def take(self, rows: Rows, input_number: int) -> None:
        """Take rows of another input, in any order; they come before the rows that are fed for their instants."""
        return

    @property
    def is_selective(self) -> bool:
        """Whether some rows may be left out before they are fed: those that are not `wanted`."""
        return False

    def wanted(self, rows: Rows) -> np.ndarray:
        """Which rows can matter; all that other inputs bring up to their instants has been taken."""
        return np.ones(len(rows), np.bool_)

    def end_of_data(self, instant: int) -> None:
        """The data of all buckets goes on to this instant."""
        return

    @property
    def scheduled_groups(self) -> int | None:
        """How many groups have a known schedule; None where rows follow none."""
        return None

    def advance_schedule(self, rows: Rows, watermarks: np.ndarray) -> np.ndarray:
        """The watermarks, moved on by rows that continue the schedule of their group."""
        return watermarks


class OperatorPlan(Protocol):
    """Everything the core must know of a query, as a frozen dataclass that travels to the workers."""

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    prefix: str

    @abstractmethod
    def operator(self, *, live: bool = False) -> Operator:
        """The plan at work on the groups of one bucket; only a live one reports fragments before the end."""

    @property
    @abstractmethod
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""

    @property
    def frame_schema(self) -> pa.Schema:
        """The columns of the frames that the operator finds, which may not be the results."""
        return self.result_schema

    @abstractmethod
    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""

    @property
    def layout(self) -> Layout:
        """The columns that are packed: groups, the instant, and what travels with each row."""
        return Layout(self.keys, self.ts_type, self.columns)

    @property
    def fragments(self) -> bool:
        """Whether frames are reported piece by piece before they end."""
        return False

    @property
    def is_early(self) -> bool:
        """Whether results can be reported before they are certain: operators have `copy`."""
        return False

    @property
    def amends(self) -> bool:
        """Whether late rows can amend results: operators have `adopt` too."""
        return False

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of the operator's own figures, beside `open` and `held`."""
        return ()

    @property
    def needs_end_of_data(self) -> bool:
        """Whether every bucket of a table must know how far the data of all of them goes."""
        return False

    @property
    def needs_watermarks(self) -> bool:
        """Whether the bucket of a table says how far its rows have been fed."""
        return False

    @property
    def lookup(self) -> tuple[pa.DataType, ...]:
        """The columns of a table that every bucket needs before its first row; none without one."""
        return ()

    def with_lookup(self, columns: Sequence[pa.Array]) -> OperatorPlan:
        """The plan, completed by that table."""
        return self

    def identity(self) -> dict[str, str]:
        """What a checkpoint depends on: the settings, and the columns of the rows."""
        by = ", ".join(f"{field.name} {field.type}" for field in self.keys)
        columns = ", ".join(map(str, self.columns))
        return {**self.settings(), "by": by or "no columns", "ts": str(self.ts_type), "columns": columns}

    def __getstate__(self) -> Mapping[str, object]:
        """Only the fields travel: what is derived from them belongs to a process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
