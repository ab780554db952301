"""Instants at the ends of longs: windows, moved edges and filling, on tables, scans and streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streamframes as sf

pytestmark = pytest.mark.spark

FIRST, LAST = -(2**63), 2**63 - 1
TICKS = [FIRST, FIRST + 1, FIRST + 7, -3, 4, LAST - 8, LAST - 1, LAST]
# The window at the end of longs begins at LAST - 7, the one at their beginning lasts until FIRST + 7.
WINDOWS = [(FIRST, FIRST + 7, 3), (-3, -3, 1), (4, 4, 1), (LAST - 8, LAST - 8, 1), (LAST - 1, LAST, 2)]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("longs")
    for number in range(2):
        pq.write_table(pa.table({"ts": TICKS[number::2]}), folder / f"{number}.parquet", row_group_size=2)
    return folder


@pytest.fixture(params=["table", "scan"])
def rows(request: pytest.FixtureRequest, spark: Any, path: Path) -> Any:
    return spark.read.parquet(str(path)) if request.param == "table" else sf.scan(str(path), spark=spark)


def shown(frames: Any, *columns: str) -> list[tuple[Any, ...]]:
    names = ("frame_start", "frame_end", *columns)
    return sorted(tuple(row[name] for name in names) for row in frames.toArrow().to_pylist())


def test_windows_at_the_ends_are_windows(rows: Any) -> None:
    assert shown(sf.frames(rows, sf.Every(8), ts="ts"), "frame_rows") == WINDOWS
    slid = shown(sf.frames(rows, sf.Every(8, slide=4), ts="ts"), "frame_rows")
    assert [each for each in slid if abs(each[0]) > 99] == [
        (FIRST, FIRST + 1, 2),
        (FIRST, FIRST + 7, 3),
        (FIRST + 7, FIRST + 7, 1),
        (LAST - 8, LAST - 8, 1),
        (LAST - 8, LAST - 8, 1),
        (LAST - 1, LAST, 2),
        (LAST - 1, LAST, 2),
    ]


def test_an_expanded_frame_ends_with_the_last_instant(spark: Any, path: Path, rows: Any) -> None:
    moved = sf.frames(rows, sf.Every(8), ts="ts").expand(before=20, after=7)
    outer = [(FIRST, FIRST + 14, 3), (LAST - 28, LAST - 1, 2), (LAST - 21, LAST, 3)]
    assert [each for each in shown(moved.agg(n="count(*)"), "n") if abs(each[0]) > 99] == outer
    filled = moved.fill(spark.read.parquet(str(path)), ts="ts", n="count(*)")
    assert [each for each in shown(filled, "n") if abs(each[0]) > 99] == outer


def test_a_stream_refuses_instants_that_no_watermark_passes(spark: Any, path: Path) -> None:
    stream = spark.readStream.schema("ts bigint").parquet(str(path))
    found = sf.frames(stream, sf.Every(8), ts="ts", lateness=5).toDF()
    query = found.writeStream.format("noop").trigger(availableNow=True).start()
    with pytest.raises(Exception, match=r"a stream got a row at -?92233720368547\d+; its instants lie between"):
        query.awaitTermination()
