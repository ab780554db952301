"""Tables of Delta and Iceberg as sinks: merged by key, also when batches are repeated and the query is killed.

They run in `make test-matrix` alone, which has a Spark that these formats know.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from tests.matrix.formats import FORMATS
from tests.matrix.merging import frames_of, session, table, target
from tests.servers.killing import disturbed
from tests.servers.reports import arrived

pytestmark = [
    pytest.mark.spark,
    pytest.mark.long,
    pytest.mark.skipif(not any(each.package for each in FORMATS.values()), reason="no format knows this Spark"),
]

each_format = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.skipif(not each.package, reason=f"no {name} for this Spark"))
        for name, each in FORMATS.items()
    ],
)
FRAMES = ["frame_id", "router", "frame_start", "frame_end", "frame_rows", "frame_closed_by"]
COMMITS = 12


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("merged")
    return made


@pytest.fixture(scope="module")
def spark(folder: Path) -> Iterator[Any]:
    made = session(folder)
    yield made
    made.stop()


def kept(spark: Any, table: str) -> list[str]:
    return sorted(str(row) for row in spark.table(table).collect())


@each_format
def test_the_newest_row_of_a_key_is_kept_whatever_comes_again(spark: Any, folder: Path, name: str) -> None:
    # Spark's own catalog takes letters and digits alone for a name; a path may be any.
    delta, iceberg = sf.sink.Delta(path=f"{folder}/odd names ü"), sf.sink.Iceberg("iceberg.default.`odd names`")
    made = delta if name == "delta" else iceberg
    upsert, table = sf.sink.upsert(made), made.table
    schema = "frame_id long, frame_fragment int, frame_final boolean, `select a ü` double, frame_retracted boolean"

    def batch(*rows: tuple[Any, ...]) -> Any:
        return spark.createDataFrame(list(rows), schema)

    first = batch((1, 0, False, 0.1, False), (1, 1, False, math.nan, False), (2, 0, True, None, False))
    upsert(first, 0)
    there = kept(spark, table)
    assert there == sorted(map(str, batch((1, 1, False, math.nan, False), (2, 0, True, None, False)).collect()))
    upsert(first, 0)
    assert kept(spark, table) == there
    upsert(
        batch((1, 0, False, 7.0, False), (1, 2, True, 0.5, False), (2, 1, True, None, True), (3, 0, True, 1.0, True)), 1
    )
    upsert(first.where("frame_id = 1"), 0)
    assert kept(spark, table) == [str(batch((1, 2, True, 0.5, False)).first())]
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
    assert kept(spark, table) == [str(rows.filter("frame_id = 1").first())]
    aside = spark.table(made.aside_table).orderBy("row").collect()
    assert [(each.batch, each.reason) for each in aside] == [
        (0, "from is not kept by the type int of the table"),
        (0, "needed is null, where the table says NOT NULL"),
        (0, "frame_id is null"),
        (0, "frame_id is null"),
    ]
    assert [json.loads(each.row)["from"] for each in aside] == [3_000_000_000, 3, 4, 5]


@each_format
def test_a_sink_has_the_frames_of_the_table_after_many_kills(spark: Any, folder: Path, name: str) -> None:
    reports, ends = arrived(2)
    source = table(folder, name, "reports")
    size = -(-len(reports) // COMMITS)
    parts = [reports.slice(start, size) for start in range(0, len(reports), size)] + [
        ends.slice(start, 4) for start in range(0, len(ends), 4)
    ]
    for part in parts:
        rows = spark.createDataFrame(part).coalesce(1).write.format(name).mode("append")
        rows.save(f"{folder}/delta/reports") if name == "delta" else rows.saveAsTable(source)
    own = folder / f"killed {name}"
    own.mkdir()
    for link in ("delta", "iceberg"):
        (own / link).symlink_to(folder / link)
    (own / "way.json").write_text(json.dumps({"format": name, "die": [2, 5, 9]}))
    killed = disturbed("tests.matrix.merging", own, 3, random.Random(7))
    assert killed >= 5
    episodes = target(folder, name).table
    expected = sorted(str(row) for row in frames_of(spark.table(source)).select(FRAMES).collect())
    assert sorted(str(row) for row in spark.table(episodes).select(FRAMES).collect()) == expected
    assert len(expected) > 20
