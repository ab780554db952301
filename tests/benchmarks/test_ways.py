"""All ways that need no Spark find the frames that the library finds, and the frames are worth finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import streamframes as sf
from benchmarks.generated import Shape, files
from benchmarks.kernels import aggregate_compiled, aggregate_loop, delta_compiled, delta_loop
from benchmarks.local_ways import duckdb_frames, polars_frames
from benchmarks.tasks import AGGREGATE, AMOUNT, BOUND, DELTA, TASKS, Task

Frame = tuple[str, int, int, int]


@pytest.fixture(scope="module", params=[Shape(4_000, 3), Shape(4_000, 1), Shape(4_000, 3, shuffled=True)], ids=str)
def paths(request: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return files(request.param, tmp_path_factory.mktemp("rows"))


def per_key(paths: list[str], task: Task) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each key's instants and what the task needs, in the order of time."""
    rows = pq.read_table(paths).sort_by("ts")
    sent = rows["volume"] if task is AGGREGATE else rows["value"]
    sent = pc.greater(sent, 0.5) if task.name == "threshold" else sent
    ticks = rows["ts"].cast(pa.int64()).to_numpy()
    for key in sorted(rows["key"].unique().to_pylist()):
        mine = pc.equal(rows["key"], key).to_numpy()
        yield key, ticks[mine], sent.to_numpy()[mine]


def true_frames(paths: list[str], task: Task) -> list[Frame]:
    return sorted(
        (key, frame.start, frame.end, frame.rows)
        for key, ts, sent in per_key(paths, task)
        for frame in sf.frames_of(task.scheme, ts=ts.tolist(), sent=sent.tolist())
    )


def frames_in(table: pa.Table) -> list[Frame]:
    ticks = (table[name].cast(pa.int64()).to_pylist() for name in ("frame_start", "frame_end"))
    return sorted(zip(table["key"].to_pylist(), *ticks, table["frame_rows"].to_pylist(), strict=True))


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
