"""Buckets: how many groups are hashed onto, and the names by which Spark spreads them evenly."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from pyspark.sql import DataFrame, SparkSession

BUCKETS_PER_CORE = 4


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

    cores = local_cores(setting("spark.master"))
    if cores:
        return cores
    executors, each = setting("spark.executor.instances"), setting("spark.executor.cores")
    return int(executors) * int(each) if executors.isdigit() and each.isdigit() else 0


def local_cores(master: str) -> int:
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
