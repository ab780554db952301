"""Method II by hand: the spans of the example of Whiteneck et al. 2010, as its figures 3 to 6 show them.

Covers: streamframes.core.regions.rectangles.grid, streamframes.core.regions.rectangles.scattered,
streamframes.core.regions.rectangles.sweep, streamframes.core.regions.rectangles.types,
streamframes.core.regions.rectangles.walls, streamframes.core.regions.rectangles.widest
"""

from __future__ import annotations

import numpy as np
import pytest

from streamframes.core.regions.rectangles.grid import GridSearch
from streamframes.core.regions.rectangles.scattered import ScatteredSearch
from streamframes.core.regions.rectangles.widest import FROM, SINCE, TO
from streamframes.core.regions.types import CONDITION, END, Columns, Limits, Regions

PLACES = np.arange(1, 11)
# From when to when the condition holds at a place.
HOLDS = {4: (4, 7), 5: (4, 10), 6: (4, 10), 7: (4, 10), 8: (4, 10), 9: (5, 10)}


def columns(first: int, last: int) -> Columns:
    """All places report at each instant."""
    times = np.arange(first, last + 1)
    edges = [HOLDS.get(place, (99, 99)) for place in PLACES.tolist()]
    code = np.array([[low <= t <= high for low, high in edges] for t in times.tolist()], np.uint8)
    bounds = np.arange(times.size + 1) * PLACES.size
    return Columns(times, bounds, np.tile(np.arange(PLACES.size), times.size), code.ravel())


def search(kind: type[ScatteredSearch | GridSearch], limits: Limits) -> ScatteredSearch | GridSearch:
    fresh = kind(limits)
    fresh.add_places(np.empty(0, np.int64), PLACES[:, None].astype(float), np.zeros(PLACES.size, np.bool_))
    return fresh


def spans_of(found: ScatteredSearch, now: int) -> set[tuple[int, int, int]]:
    """The lowest and the highest place of each span, and its depth in columns."""
    since = found.instants[np.searchsorted(found.instants[:, 0], found.spans[:, SINCE]), 1]
    edges = PLACES[found.spans[:, [FROM, TO]]]
    return {(low, high, now - start + 1) for (low, high), start in zip(edges.tolist(), since.tolist(), strict=True)}


def edges(found: Regions) -> set[tuple[float, ...]]:
    return set(zip(found.start.tolist(), found.end.tolist(), found.low[:, 0], found.high[:, 0], strict=True))


def test_spans_deepen_and_one_that_loses_a_place_shrinks() -> None:
    found = search(ScatteredSearch, Limits())
    assert isinstance(found, ScatteredSearch)
    assert not len(found.feed(columns(1, 7)))
    assert spans_of(found, 7) == {(4, 9, 3), (4, 8, 4)}
    ended = found.feed(columns(8, 8))
    assert edges(ended) == {(5, 7, 4, 9), (4, 7, 4, 8)}
    assert ended.cause.tolist() == [CONDITION, CONDITION]
    assert spans_of(found, 8) == {(5, 9, 4), (5, 8, 5)}
    assert set(found.open_regions().start.tolist()) == {4, 5}


@pytest.mark.parametrize("kind", [ScatteredSearch, GridSearch])
def test_both_methods_find_the_two_regions_that_are_large_enough(kind: type[ScatteredSearch | GridSearch]) -> None:
    found = search(kind, Limits(times=5, places=4))
    assert not len(found.feed(columns(1, 10)))
    assert edges(found.feed(columns(11, 12))) == {(4, 10, 5, 8), (5, 10, 5, 9)}
    assert not len(found.finish(END))
