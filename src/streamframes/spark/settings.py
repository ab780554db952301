"""Settings: those that the library needs or gains from, each with its reason, and when they can be set."""

from __future__ import annotations

import itertools
import os
import re
import shlex
import socket
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from streamframes.spark.buckets import local_cores

PROVIDER = "spark.sql.streaming.stateStore.providerClass"
ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
BATCH_BYTES = "spark.sql.execution.arrow.maxBytesPerBatch"
# What Spark takes for no limit.
UNLIMITED = str(2**31 - 1)

# Arrow checks every access to a value in the JVM twice, for its place and for null, which Spark has done before.
UNCHECKED = "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"

# What can be set in a session that runs.
AT_RUN_TIME = {
    # How rows come into Python. A limit in bytes makes Spark add up the size of the batch after every row: 20 M rows
    # took 6.5 s with Spark's limit of 64 MiB, 2.1 s with none. The number of rows, which Spark limits to 10,000,
    # still bounds a batch.
    BATCH_BYTES: UNLIMITED,
    # Only changes are written at the end of a micro-batch, not files of the store: it took half the time to commit.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # Stateful streams need it.
    PROVIDER: ROCKSDB,
}

# What a JVM and its workers on this machine read when they start; `python -m benchmarks.transfer` takes each setting
# back in turn.
AT_START = {
    # Frames come from Python into a DataFrame one by one, and each of their values is looked at: 20 M in 1.9 s with
    # the checks, in 1.5 s without.
    "spark.driver.extraJavaOptions": UNCHECKED,
    # Between JVM and Python on one machine, a socket of the system instead of the network: over TCP a short task may
    # wait for an acknowledgement that is delayed; a long transfer takes as long either way. Spark has it from 4.1 on.
    **({"spark.python.unix.domain.socket.enabled": "true"} if hasattr(socket, "AF_UNIX") else {}),
    # Workers are forked from a process that has the library loaded; what is forked should have one thread only, and so
    # not that of Arrow's allocator.
    "spark.python.daemon.module": "streamframes.spark.worker.daemon",
    "spark.executorEnv.JE_ARROW_MALLOC_CONF": "background_thread:false",
}

# What makes a session of our own on this machine pleasant; nothing depends on it.
OWN = {
    # Workers must be the Python that has streamframes, not the first one on the path.
    "spark.pyspark.python": sys.executable,
    # No web page for programs that end by themselves.
    "spark.ui.enabled": "false",
    # The heap of a local driver holds the shuffle; Spark's default of 1 GiB spills early.
    "spark.driver.memory": "4g",
    # Worker messages and warnings of the start would drown what a person wants to read.
    "spark.log.level": "ERROR",
}

# Instants are shown in the zone they are stored in; results do not depend on it.
ZONE = {"spark.sql.session.timeZone": "UTC"}


def settings_for(master: str) -> dict[str, str]:
    """The library's settings for a new session on a master: those of one machine only where workers are here.

    >>> settings_for("local[3]")["spark.sql.shuffle.partitions"], len(settings_for("yarn"))
    ('3', 4)
    """
    cores = local_cores(master)
    if not cores:
        return {**ZONE, **AT_RUN_TIME}
    # A partition of a stateful stream costs a fixed time a batch: one for each core, where Spark would take 200.
    return {**OWN, **ZONE, **AT_START, **AT_RUN_TIME, "spark.sql.shuffle.partitions": str(cores)}


def spelled(settings: Mapping[str, str]) -> dict[str, str]:
    """Settings as Spark writes them: keywords have `_` in the place of `.`, a key that has dots stays as it is.

    >>> spelled({"spark_ui_enabled": "true", "spark.sql.catalog.my_own": "a.Catalog"})
    {'spark.ui.enabled': 'true', 'spark.sql.catalog.my_own': 'a.Catalog'}
    """
    return {key if "." in key else key.replace("_", "."): value for key, value in settings.items()}


def given_to_spark(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What the configuration of this machine and the environment say of a Spark that is started from here."""
    home = environment.get("SPARK_HOME")
    folder = environment.get("SPARK_CONF_DIR") or (f"{home}/conf" if home else None)
    found = dict(_properties(Path(folder) / "spark-defaults.conf")) if folder else {}
    if environment.get("MASTER"):
        found.setdefault("spark.master", environment["MASTER"])
    words = shlex.split(environment.get("PYSPARK_SUBMIT_ARGS", ""))
    for option, value in itertools.pairwise(words):
        if option in ("--conf", "-c"):
            key, _, value = value.partition("=")
            found[key] = value
        elif option in _OPTIONS:
            found[_OPTIONS[option]] = value
    return found


_OPTIONS = {
    "--master": "spark.master",
    "--name": "spark.app.name",
    "--driver-memory": "spark.driver.memory",
    "--driver-java-options": "spark.driver.extraJavaOptions",
}


def _properties(file: Path) -> Iterator[tuple[str, str]]:
    """The lines `key value` or `key=value` of a file, if there is one."""
    if not file.is_file():
        return
    for line in file.read_text().splitlines():
        pair = re.fullmatch(r"\s*([^#\s=:][^\s=:]*)\s*[\s=:]\s*(.*?)\s*", line)
        if pair:
            yield pair[1], pair[2]
