"""Results: matches as rows of a table, one for each match or one for each of its rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, frame_ids, typed
from streamframes.core.patterns.kernels.paths import EMPTY, TIMEOUT, UNMATCHED
from streamframes.core.patterns.matching import FoundMatches
from streamframes.core.patterns.measures import Matches, Measures
from streamframes.core.patterns.plan import ALL_OMIT_EMPTY, PatternSpec

_CLOSED_BY = pa.array(["condition", "timeout"], pa.string())


class ResultWriter:
    """Makes batches of matches."""

    def __init__(self, plan: PatternSpec, groups: GroupIndex) -> None:
        self.plan, self.groups = plan, groups
        self.measures = Measures(plan.names, plan.n_ties)

    def batches(self, rows: Rows, found: FoundMatches, ordinals: np.ndarray) -> Iterator[pa.RecordBatch]:
        """The results of matches, in the order of their starts."""
        if not found.group.size:
            return
        if self.plan.all_rows:
            yield from self._all_rows(rows, found, ordinals)
            return
        of = np.flatnonzero(found.is_frame)
        at = np.where(found.kind[of] == EMPTY, -1, found.length[of] - 1)
        matches = self._matches(rows, found, of, at)
        keys = self.groups.values(rows.groups[found.group[of]])
        yield self._batch([*keys, *self._frames(rows, found, ordinals, matches)], rows, matches)

    def _all_rows(self, rows: Rows, found: FoundMatches, ordinals: np.ndarray) -> Iterator[pa.RecordBatch]:
        """One result for each row that is not excluded, and for each empty match and row in none that is wanted."""
        size = np.maximum(found.length, 1)
        bounds = np.concatenate([[0], np.cumsum(size)])
        of = np.repeat(np.arange(size.size), size)
        offset = np.arange(bounds[-1]) - bounds[:-1][of]
        kept = np.ones(of.size, np.bool_)
        kept[found.length[of] > 0] = ~self.plan.program.excluded[found.steps]
        if self.plan.rows_per_match == ALL_OMIT_EMPTY:
            kept &= found.kind[of] != EMPTY
        of, offset = of[kept], offset[kept]
        if not of.size:
            return
        matches = self._matches(rows, found, of, np.where(found.length[of] > 0, offset, -1))
        row = found.start[of] + offset
        columns = [*self._row_columns(rows, found.group[of], row), *self._frames(rows, found, ordinals, matches)]
        flat = matches.flat_at
        names = self.measures.names
        variable = np.append(matches.variable, -1)[flat]
        columns.append(names.take(pa.array(np.where(flat >= 0, variable, 0), mask=flat < 0)))
        yield self._batch(columns, rows, matches)

    def _row_columns(self, rows: Rows, group: np.ndarray, row: np.ndarray) -> list[pa.Array]:
        """The rows as they came."""
        keys, at, columns = self.groups.values(rows.groups[group]), pa.array(row), []
        for tag in self.plan.tags:
            if tag.source == "key":
                columns.append(keys[tag.index])
            elif tag.source == "ts":
                columns.append(typed(pa.array(rows.ts[row]), tag.type))
            else:
                columns.append(rows.columns[tag.index].take(at))
        return columns

    def _matches(self, rows: Rows, found: FoundMatches, of: np.ndarray, at: np.ndarray) -> Matches:
        variable = self.plan.program.variable[found.steps] if found.steps.size else np.empty(0, np.int64)
        number = np.where(np.isin(found.kind, (TIMEOUT, UNMATCHED)), -1, found.number)
        bounds = rows.bounds
        return Matches(
            found.start, found.length, number, bounds[found.group], bounds[found.group + 1], variable, of, at
        )

    def _frames(self, rows: Rows, found: FoundMatches, ordinals: np.ndarray, matches: Matches) -> list[pa.Array]:
        """Id, start, end, rows and why it was closed; null for rows in no match. Then the number of the match."""
        of = matches.of
        start, length, kind = found.start[of], found.length[of], found.kind[of]
        first, last = rows.ts[start], rows.ts[start + np.maximum(length, 1) - 1]
        group = self.groups.first[rows.groups[found.group[of]]]
        ids = frame_ids(self.plan.salt, group, first, np.zeros(of.size, np.int64), ordinals[of])
        none, number = kind == UNMATCHED, matches.number[of]
        return [
            pa.array(ids, mask=none),
            typed(pa.array(first, mask=none), self.plan.ts_type),
            typed(pa.array(last, mask=none), self.plan.ts_type),
            pa.array(length, mask=none),
            _CLOSED_BY.take(pa.array((kind == TIMEOUT).astype(np.int64), mask=none)),
            pa.array(number, mask=number < 0),
        ]

    def _batch(self, columns: list[pa.Array], rows: Rows, matches: Matches) -> pa.RecordBatch:
        none = matches.number[matches.of] < 0
        outside = none & (matches.at < 0)
        for each in self.plan.measured:
            values = self.measures.values(each, rows, matches)
            if outside.any():
                values = pa.array(values).take(pa.array(np.arange(len(values)), mask=outside))
            columns.append(values)
        return pa.RecordBatch.from_arrays(columns, schema=self.plan.result_schema)
