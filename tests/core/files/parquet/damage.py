"""Damaged files: good ones of several writers, bytes of which are changed, and what a child process makes of them.

Run as a program it reads the files whose paths it is given, line by line, and prints for each what came of it: a crash
or a loop without an end shows in the parent as a line that does not come.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 3_000
SECONDS = 30
"""How long a file of so few rows may take."""
CODECS = ("none", "snappy", "gzip", "zstd", "lz4", "brotli")
ENCODINGS: tuple[dict[str, Any], ...] = (
    {},
    {"use_dictionary": False},
    {"use_dictionary": ["key"], "data_page_version": "2.0"},
    {"use_dictionary": False, "column_encoding": {"ts": "DELTA_BINARY_PACKED", "key": "DELTA_LENGTH_BYTE_ARRAY"}},
    {"use_dictionary": False, "column_encoding": {"value": "BYTE_STREAM_SPLIT", "key": "DELTA_BYTE_ARRAY"}},
    {"write_page_index": True, "write_page_checksum": True, "dictionary_pagesize_limit": 1 << 10},
)
READ, REFUSED, LENIENT = "read", "refused", "read by Polars alone, as it was written"
STRICT = ("Malformed levels", "decoded rep / def levels", "only plain dictionary encoding", "deserialize thrift")
"""What PyArrow alone refuses: levels above the highest or too many, a dictionary in another encoding, page headers.

No value is lost by it: Polars reads what was written.
"""


def table_of(rows: int = ROWS) -> pa.Table:
    """Groups, instants and values as in a table that is scanned; some are null."""
    random = np.random.default_rng(rows)
    return pa.table(
        {
            "key": pa.array([f"key-{number:0{number % 20}d}" for number in random.integers(0, 200, rows)]),
            "ts": pa.array(np.sort(random.integers(0, 10**9, rows)), pa.timestamp("us", "UTC")),
            "value": pa.array(random.normal(0, 1, rows), mask=random.random(rows) < 0.1),
            "volume": pa.array(random.integers(0, 20, rows), pa.int32()),
        }
    )


def written_by_pyarrow(folder: Path) -> list[Path]:
    """A file of each codec and encoding."""
    paths = []
    for codec in CODECS:
        for number, options in enumerate(ENCODINGS):
            paths.append(folder / f"pyarrow-{codec}-{number}.parquet")
            pq.write_table(table_of(), paths[-1], 2_000, compression=codec, data_page_size=1 << 12, **options)
    return paths


def written_by_others(folder: Path) -> list[Path]:
    """Files of Polars and DuckDB in the codecs that they know."""
    import duckdb
    import polars as pl

    rows, paths = table_of(), []
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4", "brotli"):
        paths.append(folder / f"polars-{codec}.parquet")
        pl.from_arrow(rows).write_parquet(paths[-1], compression=codec, row_group_size=2_000, data_page_size=1 << 12)
    for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4_raw", "brotli"):
        for version in ("v1", "v2"):
            paths.append(folder / f"duckdb-{codec}-{version}.parquet")
            how = f"format parquet, compression {codec}, parquet_version {version}, row_group_size 2048"
            duckdb.sql(f"copy rows to '{paths[-1]}' ({how})")
    return paths


def damaged(good: bytes, random: Random) -> bytes:
    """The bytes of a file with some of them changed: in a page, in the footer, or anywhere; or with some left out."""
    data = bytearray(good)
    footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    low, high = random.choice([(4, footer), (4, min(footer, 64)), (footer, len(data) - 8), (0, len(data))])
    for _ in range(random.choice([1, 1, 2, 8])):
        at = random.randrange(low, high)
        data[at] = random.choice([0, 1, 0x7F, 0x80, 0xFF, data[at] ^ 1 << random.randrange(8), random.randrange(256)])
    if random.random() < 0.1:
        at = random.randrange(low, high)
        del data[at : at + random.choice([1, 8, 100])]
    return bytes(data)


def damage(sources: Sequence[Path], folder: Path, files: int, seed: int) -> list[Path]:
    """So many damaged files, of each source about as many."""
    random, paths = Random(seed), []
    for number in range(files):
        source = sources[number % len(sources)]
        paths.append(folder / f"damaged-{number}-{source.name}")
        paths[-1].write_bytes(damaged(source.read_bytes(), random))
    return paths


class Child:
    """A process that reads files."""

    def __init__(self) -> None:
        environment = {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        command = [sys.executable, "-m", "tests.core.files.parquet.damage"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True, env=environment
        )

    def outcomes(self, paths: Iterable[Path], sources: Sequence[Path] = ()) -> Counter[str]:
        """How many files were read, refused, or read where PyArrow refuses; fails where one is none of these.

        `sources` are the files as they were written, each of which has been damaged in turn.
        """
        found: Counter[str] = Counter()
        for number, path in enumerate(paths):
            said = self._answer(path, sources[number % len(sources)] if sources else path)
            assert said in (READ, REFUSED, LENIENT), f"{path}: {said}"
            found[said] += 1
        return found

    def _answer(self, path: Path, source_path: Path) -> str:
        source, target = self._process.stdout, self._process.stdin
        assert source is not None
        assert target is not None
        target.write(f"{path}\t{source_path}\n")
        target.flush()
        ready, _, _ = select.select([source], [], [], SECONDS)
        return (source.readline().strip() or "the process died") if ready else f"no answer within {SECONDS} s"

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.communicate()


def answers(lines: Iterator[str]) -> Iterator[str]:
    """For each file, and what it was before: read, refused, or what is wrong about the answer."""
    from streamframes.core.files.parquet import plain_columns

    for line in lines:
        path, source = line.split("\t")
        plain_columns.LEAST_ROWS = 0
        ours, error = _attempt(path)
        if ours is None:
            yield REFUSED if path in error and error.startswith("scan() ") else f"an error without the file: {error}"
            continue
        plain_columns.LEAST_ROWS = 1 << 62
        expected, error = _attempt(path)
        if ours == expected:
            yield READ
        elif any(reason in error for reason in STRICT) and ours == _attempt(source)[0]:
            yield LENIENT
        else:
            yield f"read otherwise than by PyArrow, which says {error or 'other values'}"


def _bits(column: pa.Array) -> pa.Array:
    """Numbers by their bits, so that NaN is NaN."""
    kinds = {pa.float64(): pa.int64(), pa.float32(): pa.int32()}
    return column.view(kinds.get(column.type, column.type))


def _attempt(path: str) -> tuple[list[pa.Array] | None, str]:
    """All rows of a file and what its footer says, or the error."""
    from streamframes.core.files.parquet import RowGroupReader, open_dataset
    from streamframes.core.files.parquet.row_groups import all_row_groups, row_groups_of
    from streamframes.errors import StreamFramesError

    try:
        dataset = open_dataset(path)
        names = dataset.schema.names
        if "ts" in names:
            row_groups_of(dataset, "ts")
        if "key" in names:
            dataset.stored_bytes("key")
        reader = RowGroupReader(dataset, names, [name for name in names if name == "key"])
        groups = all_row_groups(dataset)
        batches = [batch for group in groups for batch in reader.batches(group.file, group.number)]
        return [_bits(column) for batch in batches for column in batch.cast(dataset.schema).columns], ""
    except StreamFramesError as error:
        return None, str(error)
    except BaseException as error:  # noqa: BLE001  (Polars panics with one)
        return None, f"{type(error).__module__}.{type(error).__name__}: {error}".splitlines()[0]


if __name__ == "__main__":
    for answer in answers(line.rstrip("\n") for line in sys.stdin):
        print(answer, flush=True)
