"""What passes between the stages of a search for regions: resolved reports in, regions out.

place                          A *column* is an instant at which somebody reported;
  ^  3.0  . T T F .            a *slot* is a place by its number, in the order of places.
  |  2.0  T T T T .
  |  1.0  F . T T T
  +------ 0 1 2 3 4 --> column
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

# What a report says. A held one says nothing but that the place is there; after a break, a place begins anew; a new
# one is expected at every column from now on, and was missing before.
FALSE, TRUE, IMPUTED, HELD = range(4)
BREAK, NEW = 4, 8
MEANING = 3
# Why a region ended: indices into `columns.CLOSED_BY`.
CONDITION, GAP, END = 1, 2, 4


@dataclass
class Columns:
    """One group's resolved reports, column after column.

    times    the instants, rising
    bounds   reports bounds[k] up to bounds[k + 1] came at times[k]
    slot     whose report, rising within a column
    code     what it says
    """

    times: np.ndarray
    bounds: np.ndarray
    slot: np.ndarray
    code: np.ndarray


@dataclass
class Found:
    """Regions: edges in ticks and in places, what was counted, and why each ended.

    `named` are the numbers that tell regions of one group and start apart; `more` are further columns by name.
    """

    start: np.ndarray
    end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rows: np.ndarray
    places: np.ndarray
    imputed: np.ndarray
    cause: np.ndarray
    named: np.ndarray
    more: dict[str, Any] = field(default_factory=dict)

    def __len__(self) -> int:
        return int(self.start.size)

    def take(self, chosen: np.ndarray) -> Found:
        """Some of them, in this order."""
        mine: Any = {each.name: getattr(self, each.name)[chosen] for each in fields(self)[:-1]}
        more = {
            name: values.take(pa.array(chosen)) if isinstance(values, pa.Array) else values[chosen]
            for name, values in self.more.items()
        }
        return Found(**mine, more=more)


def joined(parts: Sequence[Found]) -> Found:
    """Several as one."""
    if len(parts) == 1:
        return parts[0]
    mine: Any = {each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(Found)[:-1]}
    more = {name: _together([part.more[name] for part in parts]) for name in parts[0].more}
    return Found(**mine, more=more)


def _together(values: list[Any]) -> Any:
    return pa.concat_arrays(values) if isinstance(values[0], pa.Array) else np.concatenate(values)


@dataclass
class Live:
    """What is open: since when, and which places it may come to hold."""

    start: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __len__(self) -> int:
        return int(self.start.size)


@dataclass(frozen=True)
class Limits:
    """The minimums of a region, and how far apart neighbours may be; `extent` holds one number a dimension."""

    duration: int = 0
    extent: tuple[float, ...] = (0.0,)
    times: int = 1
    places: int = 1
    step: float = float("inf")


class Search(Protocol):
    """The search for the regions of one group."""

    def widen(self, place: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come: old slot i is now place[i]; those in `listed` are known at once."""

    def feed(self, columns: Columns) -> Found:
        """The regions that these columns settle."""

    def finish(self, cause: int) -> Found:
        """Everything that is open, ended by this cause; nothing is open afterwards."""

    def live(self) -> Live:
        """What is open."""

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
