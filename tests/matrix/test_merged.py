"""Tables of Delta and Iceberg as sinks: they have the frames of the table, however often the query is killed.

They run in `make test-merged` alone, on each Spark that these formats know.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

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
