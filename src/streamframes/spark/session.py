"""Sessions: the settings that the library needs or gains from, each with its reason."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from typing import TypeGuard

from pyspark.sql import DataFrame, SparkSession

from streamframes.errors import InvalidArgument
from streamframes.spark.buckets import local_cores

PROVIDER = "spark.sql.streaming.stateStore.providerClass"

# Arrow checks every access to a value in the JVM twice, for its place and for null, which Spark has done before.
UNCHECKED = "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"

SETTINGS = {
    # Workers must be the Python that has streamframes, not the first one on the path.
    "spark.pyspark.python": sys.executable,
    # Instants are shown in the zone they are stored in; results do not depend on it.
    "spark.sql.session.timeZone": "UTC",
    # No web page for programs that end by themselves.
    "spark.ui.enabled": "false",
    # The heap of a local driver holds the shuffle; Spark's default of 1 GiB spills early.
    "spark.driver.memory": "4g",
    # How rows and frames come into Python and back; `python -m benchmarks.transfer` takes each setting back in turn.
    # A limit in bytes makes Spark add up the size of the batch after every row: 20 M rows took 6.5 s with Spark's limit
    # of 64 MiB, 2.1 s with none. The number of rows, which Spark limits to 10,000, still bounds a batch.
    "spark.sql.execution.arrow.maxBytesPerBatch": str(2**31 - 1),
    # Frames come from Python into a DataFrame one by one, and each of their values is looked at: 20 M in 1.9 s with
    # the checks, in 1.5 s without.
    "spark.driver.extraJavaOptions": UNCHECKED,
    # Between JVM and Python on one machine, a socket of the system instead of the network: over TCP a short task may
    # wait for an acknowledgement that is delayed; a long transfer takes as long either way.
    **({"spark.python.unix.domain.socket.enabled": "true"} if hasattr(socket, "AF_UNIX") else {}),
    # Workers are forked from a process that has the library loaded; what is forked should have one thread only, and so
    # not that of Arrow's allocator.
    "spark.python.daemon.module": "streamframes.spark.worker.daemon",
    "spark.executorEnv.JE_ARROW_MALLOC_CONF": "background_thread:false",
    # Only changes are written at the end of a micro-batch, not files of the store: it took half the time to commit.
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # Stateful streams need it.
    PROVIDER: ("org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"),
}


def session(name: str = "streamframes", *, master: str = "local[*]", **settings: str) -> SparkSession:
    """A local session with the library's settings that logs errors only; `settings` come on top.

    Keywords are written with `_` in the place of `.`; a key that has dots, `**{"spark.sql.catalog.my_catalog": ...}`,
    stays as it is.
    """
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in settings_for(master, settings).items():
        builder = builder.config(key, value)
    # Worker messages and warnings of the start would drown what a person wants to read.
    builder = builder.config("spark.log.level", "ERROR")
    return builder.getOrCreate()


def settings_for(master: str, settings: Mapping[str, str]) -> dict[str, str]:
    """The library's settings for a master, with the user's own on top.

    >>> found = settings_for("local[3]", {"spark_ui_enabled": "true", "spark.sql.catalog.my_own": "a.Catalog"})
    >>> found["spark.sql.shuffle.partitions"], found["spark.ui.enabled"], found["spark.sql.catalog.my_own"]
    ('3', 'true', 'a.Catalog')
    """
    cores = local_cores(master)
    # A partition of a stateful stream costs a fixed time a batch: one for each core, where Spark would take 200.
    partitions = {"spark.sql.shuffle.partitions": str(cores)} if cores else {}
    own = {key if "." in key else key.replace("_", "."): value for key, value in settings.items()}
    return {**SETTINGS, **partitions, **own}


def is_dataframe(value: object) -> TypeGuard[DataFrame]:
    """Whether this is a DataFrame, classic or Connect."""
    return hasattr(value, "mapInArrow") and hasattr(value, "sparkSession")


def require_dataframe(rows: object, verb: str, argument: str = "rows") -> DataFrame:
    """The rows, which are a DataFrame or are refused."""
    if not is_dataframe(rows):
        raise InvalidArgument(f"{verb}() got {argument} of type {type(rows).__name__}; give a Spark DataFrame")
    return rows
