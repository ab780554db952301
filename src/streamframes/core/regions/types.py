"""What passes between the stages of a search for regions: resolved reports in, regions out.

place                          A *column* is an instant at which somebody reported; a place
  ^  3.0  . T T F .            goes by its number, in the order of the places of its group.
  |  2.0  T T T T .
  |  1.0  F . T T T
  +------ 0 1 2 3 4 --> column
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.batch.tree import Tree, array_at, tree_at

# What a report means. A held one means only that the place is there; after a break, a place begins anew; a new place
# is expected at every column from now on, and was missing before.
FALSE, TRUE, IMPUTED, HELD = range(4)
BREAK, NEW = 4, 8
MEANING = 3
# Differences of mileposts like 0.3 - 0.1 are a little less, or more, than they are written.
ROUNDING = 1e-9
# Why a region ended: indices into `columns.CLOSED_BY`.
CONDITION, GAP, END = 1, 2, 4


@dataclass
class Columns:
    """One group's resolved reports, column after column.

    times     the instants, rising
    bounds    reports bounds[k] up to bounds[k + 1] came at times[k]
    place_id  whose report, rising within a column
    code      what it means
    """

    times: np.ndarray
    bounds: np.ndarray
    place_id: np.ndarray
    code: np.ndarray


@dataclass
class Regions:
    """Regions: edges in ticks and in places, what was counted, and why each ended.

    `identity` are the numbers that distinguish regions of one group and start; `more` are further columns by name.
    """

    start: np.ndarray
    end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    imputed: np.ndarray
    cause: np.ndarray
    identity: np.ndarray
    more: Mapping[str, np.ndarray | pa.Array] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.start.size)

    def columns(self) -> dict[str, np.ndarray]:
        """All columns but `more`, by name."""
        return {name: values for name, values in vars(self).items() if name != "more"}

    def take(self, chosen: np.ndarray) -> Regions:
        """Some of them, in this order."""
        more = {
            name: values.take(pa.array(chosen)) if isinstance(values, pa.Array) else values[chosen]
            for name, values in self.more.items()
        }
        return Regions(**{name: values[chosen] for name, values in self.columns().items()}, more=more)

    def snapshot(self) -> Tree:
        """All columns."""
        return {**self.columns(), "more": self.more}

    @classmethod
    def restored(cls, tree: Tree) -> Regions:
        """The regions of a snapshot."""
        own = {name: array_at(tree, name) for name in tree if name != "more"}
        more = {
            name: values for name, values in tree_at(tree, "more").items() if isinstance(values, np.ndarray | pa.Array)
        }
        return cls(**own, more=more)


def concat(parts: Sequence[Regions]) -> Regions:
    """Several as one."""
    if len(parts) == 1:
        return parts[0]
    columns = [part.columns() for part in parts]
    own = {name: np.concatenate([each[name] for each in columns]) for name in columns[0]}
    return Regions(**own, more={name: _concat_more([part.more[name] for part in parts]) for name in parts[0].more})


def _concat_more(values: Sequence[np.ndarray | pa.Array]) -> np.ndarray | pa.Array:
    return pa.concat_arrays(values) if isinstance(values[0], pa.Array) else np.concatenate(values)


@dataclass
class OpenRegions:
    """What is open: since when, and which places it may come to hold."""

    start: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __len__(self) -> int:
        return int(self.start.size)


class Emission(NamedTuple):
    """Regions of one group that are emitted: how many fragments of each came before, and whether they have ended."""

    regions: Regions
    fragments: np.ndarray
    final: bool


@dataclass(frozen=True)
class Limits:
    """The minimums of a region, and how far apart neighbours may be; `extent` holds one number a dimension."""

    duration: int = 0
    extent: tuple[float, ...] = (0.0,)
    times: int = 1
    places: int = 1
    step: float = float("inf")

    @property
    def widest_step(self) -> float:
        """How far apart neighbours may be, with room for rounding."""
        return (1 + ROUNDING) * self.step


class Search(Protocol):
    """The search for the regions of one group."""

    @abstractmethod
    def add_places(self, moved_to: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come: old place i is now moved_to[i]; those in `listed` are known at once."""

    @abstractmethod
    def feed(self, columns: Columns) -> Regions:
        """The regions that these columns decide."""

    @abstractmethod
    def finish(self, cause: int) -> Regions:
        """Everything that is open, ended by this cause; nothing is open afterwards."""

    @abstractmethod
    def open_regions(self) -> OpenRegions:
        """What satisfied reports may still be part of."""

    def count_open(self, candidates: OpenRegions) -> int:
        """How many regions are open, given what `open_regions` says."""
        return len(candidates)

    def certain(self) -> Regions | None:
        """The open regions of which start and extent are certain; None where that is never known."""
        return None

    def forget(self) -> np.ndarray | None:
        """Forget places of which nothing matters; returns those that are left, or None for all."""
        return None

    @abstractmethod
    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""

    @abstractmethod
    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""


class RegionGroup(Protocol):
    """The rows of one group in, its regions out."""

    @abstractmethod
    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray, watermark: int | None) -> Iterator[Emission]:
        """The regions that rows in order decide; then all rows before the watermark have come, if one is given."""

    @abstractmethod
    def finish(self) -> Iterator[Emission]:
        """The regions that the end of the data decides."""

    @property
    @abstractmethod
    def n_open(self) -> int:
        """How many regions are open."""

    @property
    @abstractmethod
    def is_idle(self) -> bool:
        """Whether the group can be forgotten."""

    @property
    @abstractmethod
    def earliest(self) -> int | None:
        """The first instant of anything that is still to be emitted."""

    def take_duplicates(self) -> int:
        """How many reports another of the same place and instant stood in for, since the last call."""
        return 0

    @abstractmethod
    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""

    @abstractmethod
    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
