"""Results: alarms as rows of a table, one for each alarm, for each row with any, or the two that say most of a row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import typed
from streamframes.core.bursts.batch import Alarms
from streamframes.core.bursts.thresholds import Thresholds
from streamframes.core.jit.compiled import compiled


class Searched(NamedTuple):
    """Rows that have been searched: group and instant of each, and its place among all rows of its group."""

    group: np.ndarray
    ts: np.ndarray
    number: np.ndarray


@compiled
def _best(
    rows: Any, which: Any, values: Any, thresholds: Any, count: Any, longest: Any, most: Any, excess: Any
) -> None:
    """For each row: how many alarms, the longest window, and the one that most exceeds its threshold, as a share."""
    for i in range(rows.size):
        r = rows[i]
        over = values[i] - thresholds[i]
        share = over / abs(thresholds[i]) if thresholds[i] != 0.0 else (np.inf if over > 0.0 else 0.0)
        if count[r] == 0 or which[i] > which[longest[r]]:
            longest[r] = i
        if count[r] == 0 or share > excess[r] or (share == excess[r] and which[i] > which[most[r]]):
            most[r], excess[r] = i, share
        count[r] += 1


class AlarmRows:
    """One row for each alarm."""

    def __init__(self, ts_type: pa.DataType, schema: pa.Schema) -> None:
        self.ts_type = ts_type
        self.schema = schema

    def emit(
        self, batches: Iterator[Alarms], searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        """The alarms of a feed."""
        for found in batches:
            limits = thresholds_of(found, searched, thresholds)
            columns = [pa.array(thresholds.lengths[found.which]), pa.array(found.values.copy()), pa.array(limits)]
            yield self._batch(found.rows, searched, groups, columns)

    def _batch(
        self, rows: np.ndarray, searched: Searched, groups: GroupIndex, columns: list[pa.Array]
    ) -> pa.RecordBatch:
        keys = groups.values(searched.group[rows])
        at = typed(pa.array(searched.ts[rows]), self.ts_type)
        return pa.RecordBatch.from_arrays([*keys, at, *columns], schema=self.schema)


class AnyRows(AlarmRows):
    """One row for each row at which any window alarms."""

    def emit(
        self, batches: Iterator[Alarms], searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a feed."""
        alarmed = np.zeros(searched.ts.size, np.bool_)
        for found in batches:
            alarmed[found.rows] = True
        if alarmed.any():
            yield self._batch(np.flatnonzero(alarmed), searched, groups, [])


class LatestRows(AlarmRows):
    """One row for each row with alarms: the longest window, and the most exceeded one."""

    def emit(
        self, batches: Iterator[Alarms], searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        """The rows of a feed."""
        waiting: Alarms | None = None
        for found in batches:
            copied = Alarms(*(part.copy() for part in found))
            if waiting is not None:
                copied = Alarms(*(np.concatenate(pair) for pair in zip(waiting, copied, strict=True)))
            # Alarms of one row may come in two batches; those of the last group wait for the next one.
            last = searched.group[copied.rows] == searched.group[copied.rows[-1]]
            waiting = Alarms(*(part[last] for part in copied))
            yield from self._emit(Alarms(*(part[~last] for part in copied)), searched, thresholds, groups)
        if waiting is not None:
            yield from self._emit(waiting, searched, thresholds, groups)

    def _emit(
        self, found: Alarms, searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        if not found.rows.size:
            return
        size = searched.ts.size
        count, longest, most = np.zeros(size, np.int64), np.zeros(size, np.int64), np.zeros(size, np.int64)
        limits = thresholds_of(found, searched, thresholds)
        _best(*found, limits, count, longest, most, np.zeros(size))
        rows = np.flatnonzero(count)
        columns = [pa.array(count[rows])]
        for chosen in (longest[rows], most[rows]):
            columns += [pa.array(thresholds.lengths[found.which[chosen]]), pa.array(found.values[chosen])]
            columns.append(pa.array(limits[chosen]))
        yield self._batch(rows, searched, groups, columns)


def thresholds_of(found: Alarms, searched: Searched, thresholds: Thresholds) -> np.ndarray:
    """The threshold of each alarm."""
    return np.asarray(thresholds.sets[thresholds.set_of_group[searched.group[found.rows]], found.which])
