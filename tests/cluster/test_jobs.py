"""Jobs on a cluster and on a Connect server: by options, by spark-submit, and as a declarative pipeline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import streamframes as sf
from streamframes.data import routers
from tests.cluster.servers import HOST, ROOT, SPARK_HOME, Cluster, connect_server, standalone

pytestmark = pytest.mark.spark
EXAMPLE = ROOT / "examples" / "pipelines"
JOB = """
command = "frames"
input = "reports.parquet"
ts = "rpt_time"
by = "router"
threshold = "drop_pct > 0.3"
min-duration = "2 minutes"
agg = { worst = "max(drop_pct)" }
output = "episodes"
"""
LOSS = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with standalone(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("connect") / "warehouse"


@pytest.fixture(scope="module")
def remote(warehouse: Path) -> Iterator[str]:
    with connect_server(warehouse.parent) as url:
        yield url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pq.write_table(routers(20_000, routers=10, seed=5).table, tmp_path / "reports.parquet")
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


@pytest.fixture
def expected(spark: Any, folder: Path) -> list[dict[str, Any]]:
    rows = spark.read.parquet(str(folder / "reports.parquet"))
    return in_order(sf.frames(rows, LOSS, ts="rpt_time", by="router").agg(worst="max(drop_pct)").toArrow().to_pylist())


def in_order(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Frames without the zone that files do not keep, by group and time."""
    plain = [
        {key: getattr(value, "timestamp", lambda value=value: value)() for key, value in each.items()}
        for each in frames
    ]
    return sorted(plain, key=lambda frame: (frame["router"], frame["frame_start"]))


def table(folder: Path) -> list[dict[str, Any]]:
    return in_order(pq.read_table([str(path) for path in folder.glob("*.parquet")]).to_pylist())


def call(*command: object, **environment: str) -> str:
    """Run a command, with nothing in the environment that says where Spark runs."""
    plain = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    done = subprocess.run(
        list(map(str, command)), env={**plain, **environment}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_spark_submit_runs_a_job(cluster: Cluster, folder: Path, expected: list[dict[str, Any]]) -> None:
    program = call(sys.executable, "-m", "streamframes", "--program").strip()
    submit = [SPARK_HOME / "bin" / "spark-submit", "--master", cluster.url, "--conf", "spark.sql.shuffle.partitions=2"]
    call(*submit, program, "run", folder / "job.toml", SPARK_LOCAL_IP=HOST)
    assert table(folder / "episodes") == expected


@pytest.mark.long
def test_a_job_runs_on_a_cluster_that_an_option_names(
    cluster: Cluster, folder: Path, expected: list[dict[str, Any]]
) -> None:
    options = ["--master", cluster.url, "--conf", "spark.sql.shuffle.partitions=2"]
    call(sys.executable, "-m", "streamframes", "run", folder / "job.toml", *options, SPARK_LOCAL_IP=HOST)
    assert table(folder / "episodes") == expected


def test_a_job_runs_on_a_connect_server(remote: str, folder: Path, expected: list[dict[str, Any]]) -> None:
    call(sys.executable, "-m", "streamframes", "run", folder / "job.toml", "--remote", remote)
    assert table(folder / "episodes") == expected


def test_the_example_is_carried_out_as_a_declarative_pipeline(
    remote: str, warehouse: Path, folder: Path, expected: list[dict[str, Any]]
) -> None:
    spec = (EXAMPLE / "spark-pipeline.yml").read_text().replace("/tmp/episodes", str(folder))
    (folder / "reports").mkdir()
    (folder / "reports.parquet").rename(folder / "reports" / "1.parquet")
    (folder / "spark-pipeline.yml").write_text(spec)
    shutil.copytree(EXAMPLE / "transformations", folder / "transformations")
    call(SPARK_HOME / "bin" / "spark-pipelines", "run", "--remote", remote, "--spec", folder / "spark-pipeline.yml")
    assert table(warehouse / "episodes") == expected
    closed = table(warehouse / "closed_episodes")
    ids = {frame["frame_id"] for frame in closed}
    # A stream does not know that no more will come: the last frame of a router stays open.
    assert closed == [frame for frame in expected if frame["frame_id"] in ids]
    assert len(expected) - 10 <= len(closed) <= len(expected)
