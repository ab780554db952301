"""Truth: the frames of generated files, found by the library's own trial of a scheme, key by key."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import streamframes as sf
from streamframes.study.baselines.tasks import AGGREGATE, Task

Frame = tuple[str, int, int, int]


def per_key(paths: list[str], task: Task) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Each key's instants and what the task needs, in the order of time."""
    rows = pq.read_table(paths).sort_by("ts")
    sent = rows["volume"] if task is AGGREGATE else rows["value"]
    sent = pc.greater(sent, 0.5) if task.is_threshold else sent
    ticks = rows["ts"].cast(pa.int64()).to_numpy()
    for key in sorted(rows["key"].unique().to_pylist()):
        mine = pc.equal(rows["key"], key).to_numpy()
        yield key, ticks[mine], sent.to_numpy()[mine]


def true_frames(paths: list[str], task: Task) -> list[Frame]:
    """All frames of the files, in order."""
    name = "volume" if task is AGGREGATE else "where" if task.is_threshold else "value"
    return sorted(
        (key, frame.start, frame.end, frame.rows)
        for key, ts, sent in per_key(paths, task)
        for frame in sf.frames_of(task.scheme, ts=ts, **{name: sent})
    )


def frames_in(table: pa.Table) -> list[Frame]:
    """The frames that a way has found, in the same order."""
    ticks = (table[name].cast(pa.int64()).to_pylist() for name in ("frame_start", "frame_end"))
    return sorted(zip(table["key"].to_pylist(), *ticks, table["frame_rows"].to_pylist(), strict=True))
