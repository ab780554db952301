"""Sessions: what is set in a new one, what is left alone in one that runs, and which Python its workers are."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyspark
import pytest

import streamframes as sf
from streamframes.errors import StreamFramesError
from streamframes.spark.buckets import BUCKETS, context_of, n_buckets, n_cores
from streamframes.spark.configure import hint_once
from streamframes.spark.failures import reason
from streamframes.spark.interpreter import check_workers
from streamframes.spark.session import _remote
from streamframes.spark.settings import BATCH_BYTES, given_to_spark, settings_for, spelled

ZONE = "spark.sql.session.timeZone"


@pytest.fixture
def restored(spark: Any) -> Iterator[Any]:
    """The session of all tests, whose settings are as before afterwards."""
    keys = [BATCH_BYTES, BUCKETS, ZONE]
    before = {key: spark.conf.get(key, None) for key in keys}
    yield spark
    for key, value in before.items():
        if value is None:
            spark.conf.unset(key)
        else:
            spark.conf.set(key, value)


def test_a_setting_is_written_as_a_keyword_or_by_its_own_name() -> None:
    found = spelled({"spark_sql_ansi_enabled": "false", "spark.sql.catalog.my_catalog.io_impl": "an.Io"})
    assert found == {"spark.sql.ansi.enabled": "false", "spark.sql.catalog.my_catalog.io_impl": "an.Io"}


@pytest.mark.parametrize(("master", "partitions"), [("local[3]", "3"), ("local", "1"), ("yarn", None)])
def test_a_local_session_has_a_partition_for_each_core_and_workers_of_ours(master: str, partitions: str | None) -> None:
    found = settings_for(master)
    assert found.get("spark.sql.shuffle.partitions") == partitions
    assert ("spark.python.daemon.module" in found) == ("spark.pyspark.python" in found) == (partitions is not None)


def test_what_is_given_to_spark_is_found(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# no=setting\n\nspark.master  spark://a:7077\nspark.driver.memory=1g\nspark.executor.extraJavaOptions -Da=b\n"
    )
    environment = {
        "SPARK_CONF_DIR": str(tmp_path),
        "MASTER": "local[7]",
        "PYSPARK_SUBMIT_ARGS": "--driver-memory 8g --conf spark.ui.enabled=true pyspark-shell",
    }
    assert given_to_spark(environment) == {
        "spark.master": "spark://a:7077",
        "spark.driver.memory": "8g",
        "spark.executor.extraJavaOptions": "-Da=b",
        "spark.ui.enabled": "true",
    }
    assert given_to_spark({"MASTER": "local[7]"}) == {"spark.master": "local[7]"}
    assert given_to_spark({}) == {}


def test_a_connect_server_is_named_by_the_master_or_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://there")
    assert _remote(None, {}) == "sc://there"
    assert _remote("sc://here", {}) == "sc://here"
    assert _remote("local[2]", {}) is None
    assert _remote(None, {"spark.master": "local[2]"}) is None


@pytest.mark.spark
def test_a_session_that_runs_is_left_alone(restored: Any, caplog: pytest.LogCaptureFixture) -> None:
    restored.conf.set(ZONE, "Europe/Vienna")
    with caplog.at_level("INFO", logger="streamframes"):
        assert sf.session(master="local[7]", spark_sql_execution_arrow_maxBytesPerBatch="1MB") is restored
    assert restored.conf.get(ZONE) == "Europe/Vienna"
    assert restored.conf.get(BATCH_BYTES) == "1MB"
    assert caplog.messages == [
        "session() got master='local[7]', but a session on local[2] runs; stop it first",
        f"session() took the session that runs and set {BATCH_BYTES}=1MB; sf.configure(spark) sets more",
    ]


@pytest.mark.spark
def test_configuring_says_what_was_set_and_what_was_not(restored: Any) -> None:
    restored.conf.set(BATCH_BYTES, "1MB")
    done = sf.configure(restored, buckets=3)
    assert f"set {BATCH_BYTES}=2147483647 (was 1MB)" in repr(done)
    assert n_buckets(restored) == 3
    assert not done.refused
    assert f"kept {BATCH_BYTES}=2147483647" in repr(sf.configure(restored))


@pytest.mark.spark
def test_a_session_with_the_limit_of_spark_is_told_so_once(restored: Any, caplog: pytest.LogCaptureFixture) -> None:
    hint_once.cache_clear()
    restored = restored.newSession()
    restored.conf.unset(BATCH_BYTES)
    rows = restored.range(3)
    for _ in range(2):
        sf.frames(rows, sf.Gap(2), ts="id")
    (message,) = caplog.messages
    assert "sf.configure(spark) ends that" in message
    hint_once.cache_clear()
    sf.configure(restored)
    sf.frames(rows, sf.Gap(2), ts="id")
    assert caplog.messages == [message]


@pytest.mark.spark
def test_what_is_read_at_the_start_only_is_refused(restored: Any, caplog: pytest.LogCaptureFixture) -> None:
    from streamframes.spark.configure import set_at_run_time

    done = set_at_run_time(restored, {"spark.driver.memory": "9g", "spark.sql.warehouse.dir": "x"})
    assert done.changed == {}
    assert set(done.refused) == {"spark.driver.memory", "spark.sql.warehouse.dir"}
    with caplog.at_level("WARNING", logger="streamframes"):
        sf.session(**{"spark.sql.warehouse.dir": "x"})
    (message,) = caplog.messages
    assert message.startswith("session() could not set spark.sql.warehouse.dir: ")


@pytest.mark.spark
def test_buckets_are_some_for_each_core_that_runs(spark: Any) -> None:
    assert n_cores(spark) == 2
    assert n_buckets(spark) == 8


@pytest.mark.spark
def test_results_do_not_depend_on_the_number_of_buckets(restored: Any) -> None:
    rows = restored.sql("select id % 13 as key, id as ts, sin(id) > 0 as w from range(2000)")
    found = []
    for buckets in (1, 3, 50):
        sf.configure(restored, buckets=buckets)
        table = sf.frames(rows, sf.Threshold("w"), ts="ts", by="key").agg(n="count(*)").toArrow()
        found.append(sorted(map(str, table.to_pylist())))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 100


@pytest.mark.parametrize("buckets", [0, -1, 2.5, "8"])
def test_a_number_of_buckets_that_is_none_is_refused(buckets: Any) -> None:
    with pytest.raises(sf.InvalidArgument, match=r"configure\(\) got buckets=.* must be a whole number greater"):
        sf.configure(None, buckets=buckets)  # type: ignore[arg-type]


class Elsewhere:
    """A local context whose workers would run another Python."""

    master = "local[2]"
    listFiles: Sequence[str] = ()  # noqa: N815

    def __init__(self, python: str) -> None:
        self.pythonExec = python
        self.sparkContext = self

    def getConf(self) -> dict[str, str]:
        return {}


def test_workers_without_the_library_are_found_before_a_job_starts(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(StreamFramesError, match=r"run .*/python, which cannot import streamframes .*sf.configure"):
        check_workers(Elsewhere(str(bare)))  # type: ignore[arg-type]
    with pytest.raises(StreamFramesError, match=r"run /nowhere/python, which does not start .*PYSPARK_PYTHON="):
        check_workers(Elsewhere("/nowhere/python"))  # type: ignore[arg-type]
    older = tmp_path / "older"
    older.write_text("#!/bin/sh\necho 3 9 0.0.1\n")
    older.chmod(0o755)
    with pytest.raises(StreamFramesError, match=r"Python 3.9 with streamframes 0.0.1, where this is 3\."):
        check_workers(Elsewhere(str(older)))  # type: ignore[arg-type]
    there = Elsewhere(str(bare))
    there.master = "spark://host:7077"
    check_workers(there)  # type: ignore[arg-type]
    with pytest.raises(StreamFramesError, match=r"for a stream, Spark would also run .*/python beside the dr"):
        check_workers(there, streams=True)  # type: ignore[arg-type]
    shipped = Elsewhere(str(bare))
    shipped.listFiles = ["streamframes.zip"]
    check_workers(shipped)  # type: ignore[arg-type]


@pytest.mark.spark
def test_workers_of_this_interpreter_are_not_asked(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamframes.spark.interpreter._known", set())
    monkeypatch.setattr("subprocess.run", None)
    monkeypatch.setattr(context_of(spark), "pythonExec", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(Path(sf.__file__).parents[1]))
    check_workers.__wrapped__(spark)


def test_a_worker_of_a_cluster_without_the_library_is_told_apart() -> None:
    message = "Traceback (most recent call last):\n  File x\nModuleNotFoundError: No module named 'streamframes'"
    assert reason(ValueError(message)).endswith(
        "install it there, or ship it with the job, by --py-files or spark.archives"
    )


PROGRAM = """
import streamframes as sf
spark = sf.session()
context = spark.sparkContext
print("found", context.master, spark.conf.get("spark.sql.session.timeZone"), context.getConf().get("spark.ui.enabled"))
print("arrow", spark.conf.get("spark.sql.execution.arrow.maxBytesPerBatch"), context.appName)
"""


def ran(command: Sequence[str], **environment: str) -> list[list[str]]:
    """The words of the lines that a program prints."""
    known = {key: value for key, value in os.environ.items() if key not in ("MASTER", "SPARK_REMOTE")}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**known, **environment})
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines() if line.startswith(("found", "arrow"))]


@pytest.mark.spark
def test_the_environment_and_the_defaults_of_spark_hold(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"{ZONE} Europe/Vienna\n")
    found, arrow = ran([sys.executable, "-c", PROGRAM], MASTER="local[1]", SPARK_CONF_DIR=str(tmp_path))
    assert found == ["found", "local[1]", "Europe/Vienna", "false"]
    assert arrow == ["arrow", "2147483647", "streamframes"]


@pytest.mark.spark
def test_a_session_under_spark_submit_is_that_of_spark_submit(tmp_path: Path) -> None:
    (tmp_path / "job.py").write_text(PROGRAM)
    submit = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    options = ["--master", "local[1]", "--name", "mine", "--conf", f"{ZONE}=Asia/Tokyo"]
    given = ["--conf", "spark.ui.enabled=false", "--conf", f"{BATCH_BYTES}=2MB"]
    found, arrow = ran([submit, *options, *given, str(tmp_path / "job.py")], PYSPARK_PYTHON=sys.executable)
    assert found == ["found", "local[1]", "Asia/Tokyo", "false"]
    assert arrow == ["arrow", "2MB", "mine"]
