"""Tables of Delta and Iceberg give what Parquet files of the same rows give, and take frames as they are.

They run in `make test-matrix` alone, which has a Spark that these formats know.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import streamframes as sf
from tests.conftest import SETTINGS
from tests.golden.canonical import Result, result
from tests.golden.given import STREAM, TABLE, Given
from tests.golden.inputs import write_all
from tests.golden.record import read
from tests.golden.run import cases, played, result_of
from tests.matrix.formats import FORMATS, GivenAs, settings

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not any(each.package for each in FORMATS.values()), reason="no format knows this Spark"),
]

TABLES = (
    ("frames", "threshold, timestamp"),
    ("frames", "threshold, hysteresis"),
    ("frames", "delta, range"),
    ("frames", "missing ends"),
    ("fill", "others"),
    ("bursts", "runs"),
    ("sessions", "visits"),
    ("regions", "rectangles"),
    ("regions", "connected"),
    ("regions", "crowds"),
    ("accuracy", "routers"),
    ("algebra", "frames, overlaps"),
)
STREAMS = (
    ("frames", "threshold, timestamp"),
    ("frames", "threshold, hysteresis"),
    ("fill", "others"),
    ("bursts", "sum"),
    ("sessions", "visits"),
    ("regions", "rectangles"),
)
WRITTEN = (("frames", "threshold, timestamp"), ("sessions", "visits"), ("regions", "connected"))

each_format = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(not each.package, reason=f"no {name} for this Spark"))
        for name, each in FORMATS.items()
    ],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("formats")
    write_all(made / "inputs")
    return made


@pytest.fixture(scope="module")
def spark(folder: Path) -> Iterator[Any]:
    session = sf.session("streamframes formats", master="local[2]", **SETTINGS, **settings(folder))
    yield session
    session.stop()


def without(table: pa.Table, column: str) -> Result:
    """A result without the number of the micro-batch, which another source cuts elsewhere."""
    return result(table.drop_columns([column]) if column in table.column_names else table)


@each_format
def test_a_table_is_read(spark: Any, folder: Path, name: str) -> None:
    given = GivenAs(spark, folder / "inputs", TABLE, FORMATS[name])
    different = [
        (verb, case) for verb, case in TABLES if result_of(cases(verb)[case], given).kept() != read(verb, TABLE)[case]
    ]
    assert not different


@each_format
def test_a_stream_is_read(spark: Any, folder: Path, name: str) -> None:
    there, plain = (
        GivenAs(spark, folder / "inputs", STREAM, FORMATS[name]),
        Given(spark, folder / "inputs", STREAM),
    )
    for verb, case in STREAMS:
        call = cases(verb)[case].call
        assert without(played(call(there)), "_batch") == without(played(call(plain)), "_batch"), (verb, case)


@each_format
def test_frames_are_written(spark: Any, folder: Path, name: str) -> None:
    given = Given(spark, folder / "inputs", TABLE)
    for number, (verb, case) in enumerate(WRITTEN):
        table = f"{FORMATS[name].catalog}.frames_{number}"
        cases(verb)[case].call(given).write.format(name).saveAsTable(table)
        assert result(spark.table(table).toArrow()).kept() == read(verb, TABLE)[case], (verb, case)


@each_format
def test_a_stream_is_written(spark: Any, folder: Path, name: str) -> None:
    given = Given(spark, folder / "inputs", STREAM)
    for number, (verb, case) in enumerate(WRITTEN):
        table = f"{FORMATS[name].catalog}.streamed_{number}"
        found = cases(verb)[case].call(given)
        kept = str(folder / "checkpoints" / f"{name}-{number}")
        writer = found.writeStream.format(name).option("checkpointLocation", kept).trigger(availableNow=True)
        writer.toTable(table).awaitTermination()
        plain = without(played(cases(verb)[case].call(given)), "_batch")
        assert result(spark.table(table).toArrow()) == plain, (verb, case)


@each_format
def test_the_newest_row_of_a_key_is_kept_whatever_comes_again(spark: Any, folder: Path, name: str) -> None:
    # Spark's own catalog takes letters and digits alone for a name; a path may be any.
    delta, iceberg = sf.sink.Delta(path=f"{folder}/odd names ü"), sf.sink.Iceberg("iceberg.default.`odd names`")
    made = delta if name == "delta" else iceberg
    upsert = sf.sink.upsert(made)
    schema = "frame_id long, frame_fragment int, frame_final boolean, `select a ü` double, frame_retracted boolean"

    def batch(*rows: tuple[Any, ...]) -> Any:
        return spark.createDataFrame(list(rows), schema)

    def kept() -> list[str]:
        return sorted(str(row) for row in spark.table(made.table).collect())

    first = batch((1, 0, False, 0.1, False), (1, 1, False, math.nan, False), (2, 0, True, None, False))
    newest = sorted(map(str, batch((1, 1, False, math.nan, False), (2, 0, True, None, False)).collect()))
    for _ in range(2):
        upsert(first, 0)
        assert kept() == newest
    last, gone = (1, 2, True, 0.5, False), (2, 1, True, None, True)
    upsert(batch((1, 0, False, 7.0, False), last, gone, (3, 0, True, 1.0, True)), 1)
    upsert(first.where("frame_id = 1"), 0)
    assert kept() == [str(batch(last).first())]
    with pytest.raises(sf.SinkError, match=r"the row frame_id=None: frame_id is null; filter such rows out"):
        upsert(batch((None, 0, True, 1.0, False)), 2)


@each_format
def test_rows_that_a_table_cannot_hold_stop_the_batch_or_are_kept_aside_once(
    spark: Any, folder: Path, name: str
) -> None:
    table = f"delta.`{folder}/narrow ü`" if name == "delta" else "iceberg.default.narrow"
    made = sf.sink.Delta(path=f"{folder}/narrow ü") if name == "delta" else sf.sink.Iceberg(table)
    spark.sql(f"create table {table} (frame_id bigint, `from` int, needed string not null) using {name}")
    rows = spark.sql(
        """select * from values (1, 1L, 'a'), (2, 3000000000L, 'b'), (3, 3L, null), (null, 4L, 'd'), (null, 5L, 'e')
        as rows (frame_id, `from`, needed)"""
    ).selectExpr("bigint(frame_id) frame_id", "`from`", "needed")
    said = r"cannot hold the row frame_id=\w+: .*, or keep such rows .* 3 other rows cannot be held either. The row: {"
    with pytest.raises(sf.SinkError, match=said):
        sf.sink.upsert(made)(rows, 0)
    assert spark.table(table).count() == 0
    upsert = sf.sink.upsert(made, bad="aside")
    for number in (0, 0, 1):
        upsert(rows, number)
    assert [str(row) for row in spark.table(table).collect()] == [str(rows.filter("frame_id = 1").first())]
    aside = spark.table(made.aside_table).orderBy("row").collect()
    assert [(each.batch, each.reason) for each in aside] == [
        (0, "from is not kept by the type int of the table"),
        (0, "needed is null, where the table says NOT NULL"),
        (0, "frame_id is null"),
        (0, "frame_id is null"),
    ]
    assert [json.loads(each.row)["from"] for each in aside] == [3_000_000_000, 3, 4, 5]
