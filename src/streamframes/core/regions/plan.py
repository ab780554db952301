"""The plan of a search for regions: everything the core needs, and nothing of the engine that carries the rows.

Behind the columns that break ties, the place travels with each row as doubles, and a byte that says whether the
report is bad, does not satisfy the condition, or does.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypedDict

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.regions.reports import Reading
from streamframes.core.regions.types import Limits
from streamframes.errors import InvalidArgument

RECTANGLE, CONNECTED, DENSITY = SHAPES = ("rectangle", "connected", "density")
DURATIONS, SPANS = METHODS = ("durations", "spans")
# What the byte of a row says.
BAD_REPORT, NOT_SATISFIED, SATISFIED = range(3)


@dataclass(frozen=True)
class DensitySettings:
    """What is dense: points are counted in units of time (ticks) and in cells of these sizes."""

    unit: int
    bin_sizes: tuple[float, ...]
    above: float
    min_area: float


@dataclass(frozen=True)
class Listed:
    """Places that are known beforehand: for all groups, or by the fingerprints of theirs."""

    places: np.ndarray
    first: np.ndarray | None = None
    second: np.ndarray | None = None

    def of(self, first: int, second: int) -> np.ndarray:
        """The places of a group, sorted, each once."""
        mine = self.places
        if self.first is not None and self.second is not None:
            mine = mine[(self.first == first) & (self.second == second)]
        return np.unique(mine, axis=0)

    def digest(self) -> str:
        """Which places these are."""
        parts = [part for part in (self.places, self.first, self.second) if part is not None]
        digest = hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=8)
        return f"{len(self.places)} places with the digest {digest.hexdigest()}"


@dataclass(frozen=True)
class UnreadPlaces:
    """Places that are in a lookup table: for groups of these types, or for all; `names` are those of its places."""

    keys: tuple[pa.DataType, ...]
    names: tuple[str, ...]

    def listed(self, columns: Sequence[pa.Array]) -> Listed:
        """The places of the table."""
        keys, coordinates = columns[: len(self.keys)], columns[len(self.keys) :]
        places = np.stack([np.asarray(each.to_numpy(zero_copy_only=False), np.float64) for each in coordinates], axis=1)
        if not len(places):
            raise InvalidArgument(
                "regions() got places= as a table without rows; leave it out, or name one place at least"
            )
        if not np.isfinite(places).all():
            raise InvalidArgument(
                f"regions() got places= as a table in which {' or '.join(map(repr, self.names))} is null or not "
                "finite; leave such rows out"
            )
        return Listed(places + 0.0, *fingerprints(keys, len(places))) if keys else Listed(places + 0.0)


class RegionSettings(TypedDict, total=False):
    """What a user chooses of a search, checked: those fields of its plan that rows do not decide."""

    shape: str
    method: str
    prefer: str | None
    limits: Limits
    reading: Reading
    listed: Listed | None
    unread: UnreadPlaces | None
    density: DensitySettings
    may_miss: bool
    place_types: tuple[pa.DataType, ...]


@dataclass(frozen=True)
class RegionSpec:
    """Which regions are searched, how, and what is reported of them.

    `columns` travel with a row: those that break ties, the place in each dimension, and the byte of its report.
    `may_miss` says that reports may be missing or bad, so that regions count imputed ones.
    """

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    space: tuple[str, ...]
    place_types: tuple[pa.DataType, ...]
    n_ties: int = 0
    shape: str = RECTANGLE
    method: str = SPANS
    prefer: str | None = None
    limits: Limits = field(default_factory=Limits)
    reading: Reading = field(default_factory=Reading)
    listed: Listed | None = None
    unread: UnreadPlaces | None = None
    density: DensitySettings | None = None
    may_miss: bool = False
    fragments: bool = False
    prefix: str = "frame_"

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        return {
            "shape": self.shape,
            "method": self.method,
            "space": ", ".join(self.space),
            "prefer": repr(self.prefer),
            "minimums and max_step": repr(self.limits),
            "missing, max_missing, open_on and max_gap": repr(self.reading),
            "places": self._places(),
            "bin, unit and above": repr(self.density),
            "fragments": repr(self.fragments),
        }

    def _places(self) -> str:
        if self.unread is not None:
            return f"those of a table by {', '.join(map(str, self.unread.keys)) or 'no columns'}"
        return self.listed.digest() if self.listed is not None else "those of the data"

    @property
    def n_dims(self) -> int:
        """How many dimensions space has."""
        return len(self.space)

    @property
    def per_unit(self) -> float:
        """How many ticks are a unit of time where time is a plain number: seconds, days or what integers count."""
        return 1e6 if self.clock.kind == "timestamp" else 1.0

    @property
    def salt(self) -> int:
        """What distinguishes the ids of these regions from those of other searches."""
        columns = f"regions {self.shape} {' '.join(self.space)}"
        return int.from_bytes(hashlib.blake2b(columns.encode(), digest_size=8).digest(), "little")

    def edge_names(self) -> list[tuple[str, str]]:
        """The names of the lowest and highest place, for each dimension."""
        ends = [""] if self.n_dims == 1 else [f"_{name}" for name in self.space]
        return [(f"{self.prefix}low{end}", f"{self.prefix}high{end}") for end in ends]

    @cached_property
    def frame_schema(self) -> pa.Schema:
        """The columns of the regions."""
        edges = [(name, kind) for pair, kind in zip(self.edge_names(), self.place_types, strict=True) for name in pair]
        columns = {
            "id": pa.int64(),
            "start": self.ts_type,
            "end": self.ts_type,
        }
        more = {"rows": pa.int64(), "places": pa.int64(), "closed_by": pa.string()}
        more |= {"imputed": pa.int64()} if self.may_miss else {}
        more |= {"fragment": pa.int64(), "final": pa.bool_()} if self.fragments else {}
        return pa.schema(
            [
                *self.keys,
                *((f"{self.prefix}{name}", kind) for name, kind in columns.items()),
                *edges,
                *((f"{self.prefix}{name}", kind) for name, kind in (more | self._shape_columns()).items()),
            ]
        )

    def _shape_columns(self) -> dict[str, pa.DataType]:
        if self.shape == CONNECTED:
            ends = [""] if self.n_dims == 1 else [f"_{name}" for name in self.space]
            extent = [("ts", self.ts_type), *((f"{edge}{end}", pa.float64()) for end in ends for edge in _EDGES)]
            extents = pa.list_(pa.struct(extent))
            return {"area": pa.float64(), "extents": extents, "hull": pa.string(), "outline": pa.string()}
        if self.shape == DENSITY:
            return {"area": pa.float64(), "peak": pa.float64(), "density": pa.float64()}
        return {}

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.frame_schema


_EDGES = ("low", "high")
