"""The order in which windows are searched changes at divide points, and nowhere else."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.bursts.histogram.search_space import divide_points, search_space
from tests.oracles import bursts as reference


@given(
    lengths=st.lists(st.integers(2, 500), min_size=2, max_size=8, unique=True).map(sorted),
    data=st.data(),
)
def test_the_order_changes_at_divide_points_and_nowhere_else(lengths, data):
    thresholds = np.array(data.draw(st.lists(st.floats(1, 1e6), min_size=len(lengths), max_size=len(lengths))))
    points = divide_points(np.array(lengths), thresholds)
    edges = [points[0] - 1, *points, points[-1] + 1]
    for low, high in itertools.pairwise(edges):
        if high - low > 1e-6:
            inner = [low + (high - low) * share for share in (0.1, 0.5, 0.9)]
            by_level = [search_space(np.array(lengths), thresholds, level).tolist() for level in inner]
            assert by_level[0] == by_level[1] == by_level[2]
            assert by_level[1] == reference.search_space(dict(zip(lengths, thresholds, strict=True)), inner[1])
