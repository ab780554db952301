"""The limit: what one process does by hand with the files as they are, in the order of time.

Threads read row groups ahead; one compiled loop walks them in turn, with a state record for each key. No sort, no
groups, no check that the rows are in order: whoever finds frames otherwise does more than this.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.peers.walks import STATE, room_for, still_open, walk_of
from streamframes.study.baselines.grouped import frame_table
from streamframes.study.baselines.tasks import Task

THREADS = os.cpu_count() or 1


@dataclass
class Names:
    """The keys seen so far; a key's place is its code and never changes."""

    known: pa.Array = field(default_factory=lambda: pa.array([], pa.string()))

    def coded(self, keys: pa.DictionaryArray) -> np.ndarray | None:
        """The codes of the rows, or None where a key is new."""
        codes = pc.index_in(keys.dictionary, value_set=self.known)
        return None if codes.null_count else codes.to_numpy()[keys.indices.to_numpy()]

    def add(self, keys: pa.DictionaryArray) -> None:
        """Give a code to every new key."""
        new = keys.dictionary.filter(pc.invert(pc.is_in(keys.dictionary, value_set=self.known)))
        self.known = pa.concat_arrays([self.known, new])


Batch = tuple[np.ndarray, np.ndarray, np.ndarray]
Batches = Callable[[Sequence[str], str, Names], Iterator[Batch]]


def by_pyarrow(files: Sequence[str], column: str, names: Names) -> Iterator[Batch]:
    """Row groups in turn, read ahead by threads."""

    def read(path: str, group: int) -> tuple[pa.RecordBatch, np.ndarray | None]:
        file = pq.ParquetFile(path, read_dictionary=["key"], memory_map=True, pre_buffer=False)
        rows = file.read_row_group(group, columns=["key", "ts", column], use_threads=False)
        (batch,) = rows.combine_chunks().to_batches()
        return batch, names.coded(batch["key"])

    groups = ((path, group) for path in files for group in range(pq.read_metadata(path).num_row_groups))
    with ThreadPoolExecutor(THREADS) as pool:
        waiting = deque(pool.submit(read, *each) for each in islice(groups, 2 * THREADS))
        while waiting:
            batch, codes = waiting.popleft().result()
            waiting.extend(pool.submit(read, *each) for each in islice(groups, 1))
            if codes is None:
                names.add(batch["key"])
                codes = names.coded(batch["key"])
            yield codes, batch["ts"].view(pa.int64()).to_numpy(), batch[column].to_numpy()


def by_polars(files: Sequence[str], column: str, names: Names) -> Iterator[Batch]:
    """Batches of Polars' streaming engine; it numbers the keys itself."""
    categories = pl.Categories.random()
    rows = pl.scan_parquet(list(files)).select(pl.col("key").cast(pl.Categorical(categories)), "ts", column)
    for batch in rows.collect_batches(maintain_order=True, chunk_size=1 << 18):
        codes = batch["key"].to_physical().to_numpy()
        if codes.max() >= len(names.known):
            names.known = categories.to_series().to_arrow()
        yield codes, batch["ts"].to_physical().to_numpy(), batch[column].to_numpy()


@dataclass(frozen=True)
class Walked:
    """All frames, and how many of them only the end of the data has closed."""

    table: pa.Table
    n_open: int


def walked(task: Task, files: Sequence[str], batches: Batches = by_pyarrow) -> Walked:
    """Walk the rows in the order of the files."""
    names, walk, states, found = Names(), walk_of(task), np.zeros(0, STATE), []
    column = "volume" if task.name == "aggregate" else "value"
    for codes, ts, values in batches(files, column, names):
        if len(names.known) > states.size:
            states = np.concatenate([states, np.zeros(2 * len(names.known) - states.size, STATE)])
        room = room_for(task, codes.size)
        n = walk(codes, ts, values, states, room)
        found.append([each[:n] for each in room])
    unfinished = still_open(task, states)
    keys, starts, ends, sizes, totals, tops = map(np.concatenate, zip(*found, unfinished, strict=True))
    table = frame_table(names.known, keys, starts, ends, sizes)
    if task.measures:
        table = table.append_column("mean", pa.array(totals / sizes)).append_column("top", pa.array(tops))
    return Walked(table, unfinished[0].size)


def limit_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """PyArrow reads."""
    return walked(task, files).table


def limit_frames_by_polars(task: Task, files: Sequence[str]) -> pa.Table:
    """Polars reads."""
    return walked(task, files, by_polars).table
