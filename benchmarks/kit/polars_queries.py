"""Frames by Polars, with a compiled loop where expressions cannot do it.

A key becomes one row with lists of what its rows hold. Polars keeps the order of rows in it, so only rows that do
not stand in the order of time are sorted; whether they do, it is asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
import pyarrow as pa

from streamframes.study.baselines.grouped import frames_of_groups
from streamframes.study.baselines.tasks import MIN_ROWS, Task

_INSIDE = (pl.col("value") > 0.5).cast(pl.Int8)
_SENT = {
    "threshold": {"sent": _INSIDE},
    "boundary": {"sent": (pl.col("value") * 4).ceil().cast(pl.Int32)},
    "delta": {"sent": pl.col("value")},
    "aggregate": {"sent": pl.col("volume")},
    "fill": {"sent": _INSIDE, "value": pl.col("value")},
}


def polars_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """Runs by `rle` for Threshold and fill, by edges for Boundary; Numba for Delta and Aggregate."""
    key = pl.col("key").cast(pl.Categorical)
    rows = pl.scan_parquet(list(files)).select(key, "ts", **_SENT[task.name]).collect()
    return _by_loop(task, rows) if task.is_sequential else _by_runs(task, rows)


def _by_loop(task: Task, rows: pl.DataFrame) -> pa.Table:
    keyed = _one_row_a_key(rows, ts=pl.col("ts"), sent=pl.col("sent"))
    bounds = np.concatenate([[0], np.cumsum(keyed["ts"].list.len().to_numpy().astype(np.int64))])
    ts, values = (keyed[name].explode().to_physical().to_numpy() for name in ("ts", "sent"))
    return frames_of_groups(task, keyed["key"].cast(pl.String).to_arrow(), bounds, ts, values)


def _by_runs(task: Task, rows: pl.DataFrame) -> pa.Table:
    if not task.is_threshold:
        keyed = _one_row_a_key(rows, ts=pl.col("ts"), sent=pl.col("sent"))
        return _with_instants(keyed, _runs_by_edges(keyed))
    values = {"value": pl.col("value")} if task.measures else {}
    keyed = _one_row_a_key(rows, ts=pl.col("ts"), run=pl.col("sent").rle(), **values)
    runs = keyed.select("key", "run").explode("run").unnest("run").rename({"value": "state", "len": "frame_rows"})
    runs = runs.with_columns(pl.col("frame_rows").cast(pl.Int64)).with_columns(end=pl.col("frame_rows").cum_sum())
    if task.measures:
        runs = runs.with_columns(values=_cut(keyed["value"].explode(), runs["end"]))
    runs = runs.filter((pl.col("state") == 1) & (pl.col("frame_rows") >= MIN_ROWS))
    measures = {"mean": pl.col("values").list.mean(), "top": pl.col("values").list.max()} if task.measures else {}
    return _with_instants(keyed, runs, **measures)


def _runs_by_edges(keyed: pl.DataFrame) -> pl.DataFrame:
    """Runs of all keys in one look; where they are short and many, this is faster than `rle` key by key."""
    sent = keyed["sent"].explode()
    bounds = pl.concat([pl.Series([0], dtype=pl.Int64), keyed["sent"].list.len().cast(pl.Int64).cum_sum()])
    is_first = (sent != sent.shift()).fill_null(True).scatter(bounds[:-1], True)
    starts = is_first.arg_true().cast(pl.Int64)
    ends = starts.shift(-1, fill_value=len(sent))
    keys = keyed["key"].gather(bounds[:-1].search_sorted(starts, side="right") - 1)
    return pl.DataFrame({"key": keys, "end": ends, "frame_rows": ends - starts})


def _with_instants(keyed: pl.DataFrame, runs: pl.DataFrame, **measures: pl.Expr) -> pa.Table:
    """Runs that are known by their end and number of rows, as frames."""
    ts = keyed["ts"].explode()
    edges = {
        "frame_start": ts.gather(runs["end"] - runs["frame_rows"]),
        "frame_end": ts.gather(runs["end"] - 1),
    }
    return runs.select("key", *(edge.alias(name) for name, edge in edges.items()), "frame_rows", **measures).to_arrow()


def _one_row_a_key(rows: pl.DataFrame, **lists: pl.Expr) -> pl.DataFrame:
    """Lists in the order of time; the rows of a single key need not be moved."""
    if not rows["ts"].is_sorted():
        rows = rows.sort("ts")
    codes = rows["key"].to_physical()
    if codes.min() == codes.max():
        return rows.lazy().select(pl.col("key").first(), **{name: of.implode() for name, of in lists.items()}).collect()
    grouped = rows.lazy().group_by(code=pl.col("key").to_physical())
    return grouped.agg(pl.col("key").first(), **lists).collect()


def _cut(values: pl.Series, ends: pl.Series) -> pl.Series:
    """Values as lists that end at these places; nothing is copied."""
    bounds = np.concatenate([[0], ends.to_numpy()])
    return pl.Series(pa.LargeListArray.from_arrays(pa.array(bounds), values.rechunk().to_arrow()))
