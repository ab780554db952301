"""A Connect server gives what a local session gives; what it cannot do is refused by name."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import streamframes as sf
from tests.cluster.program import frames_of, write_input
from tests.cluster.servers import LIBRARY, ROOT, connect_server

pytestmark = pytest.mark.spark
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SOME = "frames and table"


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(
        tmp_path_factory.mktemp("connect"), {"spark.sql.streaming.stateStore.providerClass": ROCKS}
    ) as url:
        yield url


@pytest.mark.parametrize(
    "which", [pytest.param(SOME, id="some"), pytest.param(f"not ({SOME})", id="others", marks=pytest.mark.long)]
)
def test_every_verb_gives_the_results_on_record(remote: str, which: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "tests/golden", "--remote", remote, "-k", which]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]


@pytest.fixture
def connected(remote: str) -> Iterator[Any]:
    yield from session_on(remote)


def session_on(url: str) -> Iterator[Any]:
    """A session of its own on a server, which is no longer the active one afterwards."""
    from pyspark.sql import SparkSession

    session = SparkSession.builder.remote(url).create()
    try:
        yield session
    finally:
        session.stop()
        # Spark says by the environment that every session of this process is one of Connect.
        os.environ.pop("SPARK_CONNECT_MODE_ENABLED", None)


def test_a_scan_says_what_a_client_leaves_to_spark(connected: Any, tmp_path: Path) -> None:
    write_input(tmp_path, files=2, rows=2_000)
    scan = sf.scan(str(tmp_path / "in"), spark=connected)
    said = sf.frames(scan, sf.Threshold("drop_pct > 0.3"), ts="rpt_time", by="router").explain()
    assert "Spark reads the files (2 files, 2,000 rows), because a Spark Connect client does not say" in str(said)
    table = connected.read.parquet(str(tmp_path / "in"))
    assert sorted(map(str, frames_of(scan).toArrow().to_pylist())) == sorted(
        map(str, frames_of(table).toArrow().to_pylist())
    )


def test_settings_are_set_and_progress_has_the_figures_of_a_stream(connected: Any, tmp_path: Path) -> None:
    assert "set spark.sql.execution.arrow.maxBytesPerBatch=2147483647" in repr(sf.configure(connected))
    write_input(tmp_path, files=2, rows=2_000)
    source = str(tmp_path / "in")
    rows = connected.readStream.schema(connected.read.parquet(source).schema).parquet(source)
    writer = frames_of(rows).writeStream.format("noop").option("checkpointLocation", str(tmp_path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    figures = query.recentProgress[0]["observedMetrics"]["streamframes"]
    by_name = dict(zip((each["name"] for each in figures["schema"]["fields"]), figures["values"], strict=True))
    assert by_name["waiting_rows"] == 2_000
    assert {by_name[name] for name in ("late_rows", "open_frames", "results")} == {0}
    assert by_name["released_before"] is None


def test_a_server_without_the_library_gets_it_as_an_artifact(tmp_path: Path) -> None:
    write_input(tmp_path, files=1, rows=2_000)
    bare = tmp_path / "bare"
    venv.create(bare, symlinks=True)
    (next(bare.glob("lib/python*/site-packages")) / "others.pth").write_text(f"{Path(pa.__file__).parents[1]}\n")
    shutil.copytree(LIBRARY, tmp_path / "zipped" / "streamframes", ignore=shutil.ignore_patterns("__pycache__"))
    library = shutil.make_archive(str(tmp_path / "streamframes"), "zip", tmp_path / "zipped")
    environment = {"PYSPARK_PYTHON": str(bare / "bin" / "python"), "PYTHONPATH": ""}
    with connect_server(tmp_path, {"spark.sql.streaming.stateStore.providerClass": ROCKS}, environment) as url:
        for session in session_on(url):
            rows = session.read.parquet(str(tmp_path / "in"))
            with pytest.raises(Exception, match="No module named 'streamframes'"):
                frames_of(rows).count()
            session.addArtifacts(library, pyfile=True)
            assert frames_of(rows).count() > 0
