"""The rows that are measured: made once, kept as Parquet files in a folder.

A row is (key string, ts timestamp, value double, volume long). A value swings between about -0.1 and 1.1 with a
period of some 60 rows of its key and is noisy, so that every scheme finds frames of a few to a few dozen rows; the
noise keeps doubles from compressing. Instants rise from row to row and are unique; keys are drawn at random.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FILES = 8
PERIOD_ROWS = 60
STEP_MICROSECONDS = 1_000
# 2024-01-01 in microseconds.
FIRST_INSTANT = 1_704_067_200_000_000
# Small enough that making 100 M rows needs little memory.
ROWS_PER_PIECE = 1 << 20

SCHEMA = pa.schema(
    [
        ("key", pa.string()),
        ("ts", pa.timestamp("us", tz="UTC")),
        ("value", pa.float64()),
        ("volume", pa.int64()),
    ]
)


@dataclass(frozen=True)
class Shape:
    """How many rows of how many keys, in how many files, and whether in the order of time or in none."""

    rows: int
    keys: int
    shuffled: bool = False
    files: int = FILES

    @property
    def name(self) -> str:
        """What tells this table from others in the cache, the generator's own code included."""
        order = "shuffled" if self.shuffled else "in-order"
        return f"{self.rows}-rows-{self.keys}-keys-{self.files}-files-{order}-{_code_version()}"


def _code_version() -> str:
    return hashlib.blake2b(Path(__file__).read_bytes(), digest_size=4).hexdigest()


def files(shape: Shape, cache: Path) -> list[str]:
    """The Parquet files of a table, in the order of time; they are made if they are not there."""
    folder = cache / shape.name
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        _write(shape, unfinished)
        unfinished.rename(folder)
    return sorted(str(path.resolve()) for path in folder.glob("*.parquet"))


def _write(shape: Shape, folder: Path) -> None:
    edges = np.linspace(0, shape.rows, shape.files + 1).astype(np.int64)
    order = np.random.default_rng(0).permutation(shape.rows) if shape.shuffled else None
    for number in range(shape.files):
        with pq.ParquetWriter(folder / f"part-{number:03d}.parquet", SCHEMA) as writer:
            for low, high in _pieces(int(edges[number]), int(edges[number + 1])):
                numbers = np.arange(low, high) if order is None else order[low:high]
                writer.write_batch(rows_numbered(numbers, shape.keys, seed=low))


def _pieces(low: int, high: int) -> Iterator[tuple[int, int]]:
    for start in range(low, high, ROWS_PER_PIECE):
        yield start, min(start + ROWS_PER_PIECE, high)


def rows_numbered(numbers: np.ndarray, keys: int, *, seed: int) -> pa.RecordBatch:
    """The rows with these numbers; a row's number gives its instant and where the swing of its key is."""
    rng = np.random.default_rng([seed, keys])
    key = rng.integers(0, keys, numbers.size)
    ts = FIRST_INSTANT + numbers * STEP_MICROSECONDS + rng.integers(0, STEP_MICROSECONDS, numbers.size)
    turns = numbers / (keys * PERIOD_ROWS) + key / keys
    value = 0.5 + 0.6 * np.sin(2 * np.pi * turns) + rng.normal(0, 0.03, numbers.size)
    volume = rng.integers(0, 20, numbers.size)
    names = pa.array([f"key-{number:03d}" for number in range(keys)])
    return pa.RecordBatch.from_arrays(
        [names.take(pa.array(key)), pa.array(ts).cast(SCHEMA.field("ts").type), pa.array(value), pa.array(volume)],
        schema=SCHEMA,
    )
