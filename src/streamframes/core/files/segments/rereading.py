"""Reading again: the rows of a few groups of a segment, for which a warm-up rows was not enough."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows
from streamframes.core.files.segments.segment_reader import SegmentReader, Source
from streamframes.core.files.segments.split import Segment


class Rereader:
    """Finds groups by their fingerprints in what a source holds."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __call__(self, segment: Segment, first: np.ndarray, second: np.ndarray) -> Iterator[Rows]:
        """The rows of these groups, in order; a group's number is its place among them."""
        index = GroupIndex(self.source.layout.keys)
        for rows in SegmentReader(self.source, segment, index).rows():
            place = _places(index, first, second)
            mine = place[rows.groups] >= 0
            if mine.any():
                some = rows.filter(np.repeat(mine, np.diff(rows.bounds)))
                yield Rows(place[some.groups], some.bounds, some.ts, some.columns)


def _places(index: GroupIndex, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """For each group of the index which of the wanted ones it is, or -1."""
    known = index.find(first, second)
    place = np.full(len(index), -1)
    place[known[known >= 0]] = np.flatnonzero(known >= 0)
    return place
