"""Sessions: the settings that the library needs or gains from, each with its reason."""

from __future__ import annotations

import os
import re
import socket
import sys
from collections.abc import Mapping, Sequence
from typing import TypeGuard

from pyspark.sql import DataFrame, SparkSession

from streamframes.errors import InvalidArgument

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

BUCKETS_PER_CORE = 4


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
    cores = _local_cores(master)
    # A partition of a stateful stream costs a fixed time a batch: one for each core, where Spark would take 200.
    partitions = {"spark.sql.shuffle.partitions": str(cores)} if cores else {}
    own = {key if "." in key else key.replace("_", "."): value for key, value in settings.items()}
    return {**SETTINGS, **partitions, **own}


def n_buckets(spark: SparkSession) -> int:
    """How many buckets groups are hashed onto: several for each core, so that uneven ones even out.

    Where the settings do not say how many cores there are, the user's own number of shuffle partitions is taken.
    """
    cores = _configured_cores(spark)
    return BUCKETS_PER_CORE * cores if cores else n_partitions(spark)


def n_cores(spark: SparkSession) -> int:
    """How many tasks run at a time, or as many as a shuffle has partitions."""
    return _configured_cores(spark) or n_partitions(spark)


def _configured_cores(spark: SparkSession) -> int:
    """The cores, read from the settings alone: a Connect client has no context to ask; 0 where they do not say."""

    def setting(key: str) -> str:
        return str(spark.conf.get(key, ""))

    cores = _local_cores(setting("spark.master"))
    if cores:
        return cores
    executors, each = setting("spark.executor.instances"), setting("spark.executor.cores")
    return int(executors) * int(each) if executors.isdigit() and each.isdigit() else 0


def _local_cores(master: str) -> int:
    """The cores of a local master, 0 for any other."""
    local = re.fullmatch(r"local(?:\[(\d+|\*)[^\]]*\])?", master)
    if local is None:
        return 0
    return os.cpu_count() or 1 if local[1] == "*" else int(local[1] or 1)


def n_partitions(spark: SparkSession) -> int:
    """The partitions of a shuffle; those of a stateful stage are fixed when a query starts."""
    return int(spark.conf.get("spark.sql.shuffle.partitions", "200") or 200)


def buckets_for(rows: DataFrame, by: Sequence[str]) -> int:
    """How many buckets the groups of a table or a stream are hashed onto."""
    if not by:
        return 1
    return n_partitions(rows.sparkSession) if rows.isStreaming else n_buckets(rows.sparkSession)


def bucket_names(buckets: int, partitions: int) -> tuple[int, ...]:
    """Numbers that Spark hashes onto the partitions in turn, so that buckets are spread evenly.

    >>> bucket_names(3, 3)
    (0, 1, 11)
    """
    names: list[int] = []
    free: dict[int, list[int]] = {}
    candidate = 0
    while len(names) < buckets:
        wanted = len(names) % partitions
        while not free.get(wanted):
            free.setdefault(_murmur3(candidate) % partitions, []).append(candidate)
            candidate += 1
        names.append(free[wanted].pop(0))
    return tuple(names)


def _murmur3(value: int, seed: int = 42) -> int:
    """Spark's hash of an int, signed as there; `%` of it is Spark's pmod."""
    word = 2**32 - 1

    def rotated(number: int, by: int) -> int:
        return ((number << by) | (number >> (32 - by))) & word

    mixed = rotated(value * 0xCC9E2D51 & word, 15) * 0x1B873593 & word
    total = (rotated(seed ^ mixed, 13) * 5 + 0xE6546B64) & word ^ 4
    total = (total ^ total >> 16) * 0x85EBCA6B & word
    total = (total ^ total >> 13) * 0xC2B2AE35 & word
    total ^= total >> 16
    return total - 2**32 if total >= 2**31 else total


def is_dataframe(value: object) -> TypeGuard[DataFrame]:
    """Whether this is a DataFrame, classic or Connect."""
    return hasattr(value, "mapInArrow") and hasattr(value, "sparkSession")


def require_dataframe(rows: object, verb: str, argument: str = "rows") -> DataFrame:
    """The rows, which are a DataFrame or are refused."""
    if not is_dataframe(rows):
        raise InvalidArgument(f"{verb}() got {argument} of type {type(rows).__name__}; give a Spark DataFrame")
    return rows
