"""Exactly once: a query that is killed on its way writes what one writes that is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.killed import compare

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("query", ["frames", "fill"])
def test_a_killed_query_loses_nothing_and_writes_nothing_twice(tmp_path: Path, query: str) -> None:
    outcome = compare(tmp_path, kills=2, seed=1, files=8, query=query)
    assert outcome["kills"] == 2
    assert outcome["frames"] > 100
    assert (outcome["lost"], outcome["twice"]) == (0, 0)
