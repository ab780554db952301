"""Exactly once: a query that is killed on its way writes what one writes that is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from benchmarks import killed_sinks
from benchmarks.killed import compare, run_query

pytestmark = pytest.mark.spark


@pytest.mark.parametrize(
    ("query", "kills"),
    [
        ("fill", 1),
        ("changes", 1),
        pytest.param("frames", 2, marks=pytest.mark.long),
        pytest.param("fill", 4, marks=pytest.mark.long),
    ],
)
def test_a_killed_query_loses_nothing_and_writes_nothing_twice(
    spark: Any, tmp_path: Path, query: str, kills: int
) -> None:
    # What is left alone runs on the session of the tests.
    outcome = compare(tmp_path, kills=kills, seed=1, files=4 + 4 * kills, query=query, leave_alone=run_query)
    assert outcome["kills"] == kills
    assert outcome["frames"] > 100
    assert (outcome["lost"], outcome["twice"]) == (0, 0)


@pytest.mark.long
@pytest.mark.parametrize("kills", [0, 5])
def test_a_killed_query_leaves_the_table_of_one_that_was_left_alone(spark: Any, tmp_path: Path, kills: int) -> None:
    outcome = killed_sinks.compare(tmp_path, kills, 1, 6 + 4 * kills, None, killed_sinks.run_query)
    assert (outcome["known kills"], outcome["random kills"]) == (2, kills)
    assert outcome["rows"] > 100
    assert (outcome["lost"], outcome["twice"]) == (0, 0)
    assert outcome["equal"]
