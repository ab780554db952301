"""The plan of a search for bursts: everything the core must know, and nothing of the engine that carries the rows.

One column travels with each row behind those that break ties: the value, or the condition that is counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TypedDict

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.bursts.exact.sums import AGGREGATES
from streamframes.core.bursts.histogram.approximate import ALL, MONOTONIC
from streamframes.core.bursts.learning import Learn
from streamframes.core.bursts.thresholds import GroupTable, Thresholds

EXACT = "exact"
SEARCHES = (EXACT, "all", "monotonic")
ERROR_SIDES = ("never_miss", "never_false")
# What is reported: every alarm, runs of them, the two that say most of a row, whether there is any; or what is learnt.
ALARMS, RUNS, LATEST, ANY, LEARNT = ("alarms", "runs", "latest", "any", "learnt")


@dataclass(frozen=True)
class UnreadThresholds:
    """Thresholds that are in a lookup table: for groups of these types; the search is chosen once windows are known."""

    keys: tuple[pa.DataType, ...]
    search: str | None


class BurstSettings(TypedDict):
    """What a user chooses of a search, checked: those fields of its plan that rows do not decide."""

    agg: str
    windows: tuple[int, ...]
    thresholds: tuple[float, ...] | GroupTable | Learn
    unit: int | None
    search: str
    error: float
    error_side: str
    unread: UnreadThresholds | None


@dataclass(frozen=True)
class BurstSpec:
    """Which windows are watched, how they are searched, and what is reported of them.

    `thresholds` holds one for each window, or is a table by group, or says how they are learnt; `unit` is the length
    of the units of time in ticks, or None where windows count rows; `ts` names the instant in the results. As long as
    thresholds are `unread` there are none, and no windows unless they were named.
    """

    clock: Clock
    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]
    ts: str
    agg: str
    windows: tuple[int, ...]
    thresholds: tuple[float, ...] | GroupTable | Learn
    n_ties: int = 0
    unit: int | None = None
    search: str = EXACT
    error: float = 0.01
    error_side: str = "never_miss"
    output: str = ALARMS
    prefix: str = "frame_"
    unread: UnreadThresholds | None = None

    def settings(self) -> dict[str, str]:
        """What must not change while a checkpoint is in use, by the names that a user knows."""
        given = self.thresholds
        error = "" if self.search == EXACT else f", error={self.error}, error_side={self.error_side}"
        return {
            "agg": self.agg,
            "windows": hashlib.blake2b(repr(self.windows).encode(), digest_size=8).hexdigest(),
            "thresholds": self._described(given),
            "unit": f"{self.unit} ticks" if self.unit else "rows",
            "search": f"{self.search}{error}",
            "output": self.output,
        }

    def _described(self, given: tuple[float, ...] | GroupTable | Learn) -> str:
        if self.unread is not None:
            return f"those of a table by {', '.join(map(str, self.unread.keys)) or 'no columns'}"
        if isinstance(given, Learn):
            return str(given)
        arrays = [given.first, given.second, given.thresholds] if isinstance(given, GroupTable) else [np.array(given)]
        digest = hashlib.blake2b(b"".join(array.tobytes() for array in arrays), digest_size=8)
        return f"{len(self.windows)} numbers with the digest {digest.hexdigest()}"

    @property
    def aggregate(self) -> int:
        """The number of the aggregate."""
        return AGGREGATES[self.agg]

    @property
    def searching(self) -> int:
        """The number of the search in histograms."""
        return MONOTONIC if self.search == "monotonic" else ALL

    @property
    def salt(self) -> int:
        """What distinguishes the ids of its runs from those of other searches."""
        named = f"bursts {self.agg} {self.unit} {self.search} {self.error if self.search != EXACT else ''}"
        return int.from_bytes(hashlib.blake2b(named.encode(), digest_size=8).digest(), "little")

    def first_thresholds(self) -> Thresholds:
        """The thresholds before any row has come."""
        lengths = np.array(self.windows, np.int64)
        if isinstance(self.thresholds, Learn):
            return Thresholds(self.aggregate, lengths, np.empty((0, lengths.size)), learns=True)
        if isinstance(self.thresholds, GroupTable):
            return Thresholds(self.aggregate, lengths, self.thresholds.thresholds, table=self.thresholds)
        return Thresholds(self.aggregate, lengths, np.array([self.thresholds], np.float64))

    @cached_property
    def frame_schema(self) -> pa.Schema:
        """The columns of the runs."""
        columns = {
            "id": pa.int64(),
            "start": self.ts_type,
            "end": self.ts_type,
            "rows": pa.int64(),
            "closed_by": pa.string(),
        }
        named = [pa.field(f"{self.prefix}{name}", kind) for name, kind in columns.items()]
        measured = [pa.field("window", pa.int64()), pa.field("peak", pa.float64()), pa.field("threshold", pa.float64())]
        return pa.schema([*self.keys, *named, *measured])

    @cached_property
    def result_schema(self) -> pa.Schema:
        """The columns of what the plan is for."""
        if self.output == RUNS:
            return self.frame_schema
        window = [("window", pa.int64())]
        columns = {
            ALARMS: [*window, ("value", pa.float64()), ("threshold", pa.float64())],
            ANY: [],
            LATEST: [
                ("windows", pa.int64()),
                *(
                    (f"{which}_{name}" if name else which, kind)
                    for which in ("longest", "most")
                    for name, kind in _ALARM
                ),
            ],
            LEARNT: [*window, ("threshold", pa.float64())],
        }[self.output]
        at = [] if self.output == LEARNT else [pa.field(self.ts, self.ts_type)]
        return pa.schema([*self.keys, *at, *(pa.field(name, kind) for name, kind in columns)])


_ALARM = (("", pa.int64()), ("value", pa.float64()), ("threshold", pa.float64()))
