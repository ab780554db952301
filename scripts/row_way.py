"""How far a row's way is to follow: `python -m scripts.row_way table|stream|scan`.

A profiler notes each call of the library in the driver, from the verb to the point where rows reach the shuffle: in how
many files and functions, and how often the next call is in another file than the one before. Who reads the code along a
row's way opens so many files, and turns between them so often.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

import streamframes as sf

LIBRARY = str(Path(sf.__file__).parent)


class Way(NamedTuple):
    """How many files and functions are called, and how often the file changes."""

    files: int
    functions: int
    changes: int


MOST = {"table": Way(18, 65, 31), "stream": Way(24, 87, 55), "scan": Way(39, 148, 60)}
"""No way may be longer. Of a scan's, opening the files and translating its condition are an eighth each."""


def way_of(work: Callable[[], object]) -> Way:
    """The calls of the library while this works."""
    calls: list[tuple[str, str]] = []

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(LIBRARY) and not code.co_name.startswith("<"):
            calls.append((code.co_filename, code.co_qualname))

    work()  # loads modules, which is no part of a row's way
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    files = [file for file, _ in calls]
    changes = sum(one != other for one, other in itertools.pairwise(files))
    return Way(len(set(files)), len(set(calls)), changes)


def queries(folder: Path) -> dict[str, Callable[[], object]]:
    """The same query of a table, a stream and files."""
    rows = pa.table(
        {"key": ["a", "b"] * 500, "ts": pa.array(range(1000), pa.timestamp("s", "UTC")), "value": [1.0, 2.0] * 500}
    )
    pq.write_table(rows, folder / "rows.parquet")
    spark = sf.session()
    table = spark.read.parquet(str(folder))
    stream = spark.readStream.schema(table.schema).parquet(str(folder)).withWatermark("ts", "1 minute")

    conditions = (f"value > {number}.5" for number in itertools.count())

    def frames(source: Any) -> Any:
        # A new condition each time: what has been translated before is known.
        return sf.frames(source, sf.Threshold(next(conditions)), ts="ts", by="key").toDF()

    return {
        "table": lambda: frames(table),
        "stream": lambda: frames(stream),
        "scan": lambda: frames(sf.scan(folder)),
    }


def main(names: list[str]) -> None:
    """Print the ways; fails where one is too long."""
    with tempfile.TemporaryDirectory() as folder:
        works = queries(Path(folder))
        for name in names or list(MOST):
            way = way_of(works[name])
            print(f"{name}: {_said(way)}")
            if is_too_long(name, way):
                sys.exit(f"{name}: at most {_said(MOST[name])}")


def is_too_long(name: str, way: Way) -> bool:
    """Whether a way has become longer."""
    return any(one > most for one, most in zip(way, MOST[name], strict=True))


def _said(way: Way) -> str:
    return f"{way.files} files, {way.functions} functions, {way.changes} changes of file"


if __name__ == "__main__":
    main(sys.argv[1:])
