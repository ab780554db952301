"""Measures: the values of leaves for matches, or for the rows of matches, all at once.

matches   [ 0 .............. ][ 1 ....... ]        flat rows: all rows of all matches, one match after the other
wanted        o           o        o      o        results: each is a match, and the flat row it is seen from
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.rows import Rows
from streamframes.core.patterns.conditions import taken
from streamframes.core.patterns.kernels.aggregates import (
    running_counts,
    running_extremes,
    running_sums,
    running_whole_sums,
)
from streamframes.core.patterns.language.leaves import (
    CLASSIFIER,
    EVERY,
    MATCH_NUMBER,
    ROWS,
    Aggregate,
    Navigation,
)
from streamframes.core.patterns.plan import LeafColumn
from streamframes.errors import StreamFramesError


@dataclass
class Matches:
    """Matches among rows: where each begins and how long it is, its number (-1: none), and the rows of its group.

    `variable` is that of each flat row; empty where nobody asks. The results are `of`, a match each, seen from the row
    `at` of it (-1: from an empty match, or none).
    """

    start: np.ndarray
    length: np.ndarray
    number: np.ndarray
    low: np.ndarray
    high: np.ndarray
    variable: np.ndarray
    of: np.ndarray
    at: np.ndarray

    def __post_init__(self) -> None:
        self.bounds = np.concatenate([[0], np.cumsum(self.length)])
        self.flat_at = np.where(self.at >= 0, self.bounds[self.of] + self.at, -1)

    @property
    def rows(self) -> np.ndarray:
        """The row of each flat row."""
        return np.repeat(self.start - self.bounds[:-1], self.length) + np.arange(self.bounds[-1])

    def members(self, mask: int) -> np.ndarray:
        """Which flat rows are of some variables."""
        if mask == EVERY:
            return np.ones(self.bounds[-1], np.bool_)
        chosen = np.array([mask >> v & 1 for v in range(max(1, int(mask).bit_length()))], np.bool_)
        chosen = np.append(chosen, np.zeros(max(0, int(self.variable.max(initial=0)) + 1 - chosen.size), np.bool_))
        return np.asarray(chosen[self.variable])


class Measures:
    """The values of leaves over matches; `names` are those of variables, `first` is where the expressions begin."""

    def __init__(self, names: tuple[str, ...], first: int) -> None:
        self.names = pa.array(names, pa.string())
        self.first = first

    def values(self, column: LeafColumn, rows: Rows, matches: Matches) -> pa.Array:
        """A leaf for each result."""
        leaf = column.leaf
        if isinstance(leaf, Navigation):
            return self._navigated(leaf, column, rows, matches)
        if isinstance(leaf, Aggregate):
            return self._aggregated(leaf, column, rows, matches)
        number = matches.number[matches.of]
        return pa.array(number, mask=number < 0)

    def _navigated(self, leaf: Navigation, column: LeafColumn, rows: Rows, matches: Matches) -> pa.Array:
        flat = self._flat_row(leaf, matches)
        if leaf.what == CLASSIFIER:
            return self._classifiers(leaf, flat, matches)
        start = (matches.start - matches.bounds[:-1])[matches.of]
        row = flat + start + leaf.shift
        there = (flat >= 0) & (row >= matches.low[matches.of]) & (row < matches.high[matches.of])
        return taken(rows.columns[self.first + column.column], np.where(there, row, -1))

    def _classifiers(self, leaf: Navigation, flat: np.ndarray, matches: Matches) -> pa.Array:
        """The variables of rows that are part of the match; all others have none."""
        row, of = flat + leaf.shift, matches.of
        there = (flat >= 0) & (row >= matches.bounds[of]) & (row < matches.bounds[of + 1])
        variable = np.append(matches.variable, -1)[np.where(there, row, -1)]
        return taken(self.names, np.where(there, variable, -1))

    def _flat_row(self, leaf: Navigation, matches: Matches) -> np.ndarray:
        """The flat row that a leaf counts to in each result, before it is shifted; -1 for none."""
        of, at = matches.of, matches.flat_at
        low, last = matches.bounds[of], np.where(at < 0, -1, matches.bounds[of + 1] - 1 if leaf.final else at)
        if leaf.mask == EVERY:
            row = low + leaf.offset if leaf.is_first else last - leaf.offset
            return np.where((last >= 0) & (row >= low) & (row <= last), row, -1)
        member = matches.members(leaf.mask)
        places, upto = np.flatnonzero(member), np.concatenate([[0], np.cumsum(member)])
        begin, end = upto[low], upto[last + 1]
        place = begin + leaf.offset if leaf.is_first else end - 1 - leaf.offset
        there = (last >= 0) & (place >= begin) & (place < end)
        return np.where(there, np.append(places, -1)[np.where(there, place, -1)], -1)

    def _aggregated(self, leaf: Aggregate, column: LeafColumn, rows: Rows, matches: Matches) -> pa.Array:
        member = matches.members(leaf.mask)
        array = self._of_rows(leaf.what, column.column, rows, matches)
        compared = array if leaf.by is None else self._of_rows(leaf.by, column.by, rows, matches)
        counts = member if compared is None or not compared.null_count else member & np.asarray(compared.is_valid())
        seen = np.where(matches.flat_at < 0, -1, matches.flat_at)
        if leaf.final:
            seen = np.where(seen < 0, -1, matches.bounds[matches.of + 1] - 1)
        n = np.empty(counts.size, np.int64)
        running_counts(matches.bounds, counts, n)
        n_seen = np.append(n, 0)[seen]
        if leaf.function == "count":
            return pa.array(n_seen)
        if leaf.function == "collect_list":
            return _collected(array, counts, n_seen, matches, seen, column.type)
        if leaf.function in ("sum", "avg"):
            return self._sum(leaf, array, counts, n_seen, matches, seen)
        extremes = np.empty(counts.size, np.int64)
        largest = leaf.function.startswith("max")
        running_extremes(matches.bounds, counts, _in_order(compared), largest, extremes)
        return taken(array, np.append(extremes, -1)[seen])

    def _of_rows(self, what: str, column: int, rows: Rows, matches: Matches) -> pa.Array | None:
        """The argument of an aggregate on each flat row; None for the rows themselves."""
        if what == ROWS:
            return None
        if what == CLASSIFIER:
            return self.names.take(pa.array(matches.variable))
        if what == MATCH_NUMBER:
            return pa.array(np.repeat(matches.number, matches.length))
        return rows.columns[self.first + column].take(pa.array(matches.rows))

    def _sum(
        self, leaf: Aggregate, array: pa.Array, counts: np.ndarray, n: np.ndarray, matches: Matches, seen: np.ndarray
    ) -> pa.Array:
        if leaf.function == "sum" and pa.types.is_integer(array.type):
            values, found = np.asarray(array.cast(pa.int64()).fill_null(0)), np.empty(counts.size, np.int64)
            if running_whole_sums(matches.bounds, counts, values, found):
                raise StreamFramesError(f"sum({leaf.what}) of a match is too large for a long; cast it to double")
            return pa.array(np.append(found, 0)[seen], mask=n == 0)
        values, sums = np.asarray(array.cast(pa.float64()).fill_null(0.0)), np.empty(counts.size, np.float64)
        running_sums(matches.bounds, counts, values, sums)
        total = np.append(sums, 0.0)[seen]
        if leaf.function == "avg":
            total = total / np.maximum(n, 1)
        return pa.array(total, mask=n == 0)


def _in_order(array: pa.Array) -> np.ndarray:
    """Whole numbers in the order of values, NaN above all others."""
    if pa.types.is_floating(array.type):
        bits = (np.asarray(array.cast(pa.float64()).fill_null(0.0)) + 0.0).view(np.int64)
        return np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
    if pa.types.is_integer(array.type):
        return np.asarray(array.cast(pa.int64()).fill_null(0))
    if not len(array):
        return np.empty(0, np.int64)
    plain = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array
    return np.asarray(pc.rank(plain, tiebreaker="dense")).astype(np.int64)


def _collected(
    array: pa.Array, counts: np.ndarray, n: np.ndarray, matches: Matches, seen: np.ndarray, kind: pa.DataType
) -> pa.Array:
    """For each result the values that count, in order."""
    kept = pa.array(np.flatnonzero(counts))
    before = np.concatenate([[0], np.cumsum(counts)])[matches.bounds[matches.of]]
    n = np.where(seen < 0, 0, n)
    offsets = np.concatenate([[0], np.cumsum(n)])
    places = np.repeat(before - offsets[:-1], n) + np.arange(offsets[-1])
    values = array.take(kept).take(pa.array(places))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), values).cast(kind)
