"""All ways that need no Spark find the frames that the library finds, and the frames are worth finding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks.kit.polars_queries import polars_frames
from streamframes.study.baselines.duckdb_queries import duckdb_frames
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.kernels import aggregate_compiled, aggregate_loop, delta_compiled, delta_loop
from streamframes.study.baselines.tasks import AGGREGATE, AMOUNT, BOUND, DELTA, TASKS, Task
from tests.benchmarks.truth import frames_in, per_key, true_frames


@pytest.fixture(scope="module", params=[Shape(4_000, 3), Shape(4_000, 1), Shape(4_000, 3, shuffled=True)], ids=str)
def paths(request: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return files(request.param, tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
@pytest.mark.parametrize("way", [duckdb_frames, polars_frames])
def test_other_engines_find_the_same_frames(way: Callable[..., pa.Table], task: Task, paths: list[str]) -> None:
    assert frames_in(way(task, paths)) == true_frames(paths, task)


@pytest.mark.parametrize(
    ("task", "limit", "loop", "compiled"),
    [(DELTA, AMOUNT, delta_loop, delta_compiled), (AGGREGATE, BOUND, aggregate_loop, aggregate_compiled)],
    ids=["delta", "aggregate"],
)
def test_loops_find_the_same_frames(task: Task, limit: float, loop: Any, compiled: Any, paths: list[str]) -> None:
    by_loop, by_numba = [], []
    for key, ts, sent in per_key(paths, task):
        by_loop += [(key, *frame) for frame in zip(*loop(ts.tolist(), sent.tolist(), limit), strict=True)]
        by_numba += [(key, *map(int, frame)) for frame in zip(*compiled(ts, sent, limit), strict=True)]
    assert by_loop == by_numba == true_frames(paths, task)


@pytest.mark.parametrize("compiled", [delta_compiled, aggregate_compiled])
def test_no_rows_make_no_frames(compiled: Any) -> None:
    assert [part.size for part in compiled(np.empty(0, np.int64), np.empty(0), 1.0)] == [0, 0, 0]


def test_every_task_finds_frames_of_more_than_a_few_rows(paths: list[str]) -> None:
    for task in TASKS:
        rows = [frame[-1] for frame in true_frames(paths, task)]
        assert len(rows) > 50
        assert np.mean(rows) > 4
