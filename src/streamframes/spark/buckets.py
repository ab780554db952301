"""Buckets: how many groups are hashed onto, by how many tasks run at a time. No result depends on it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

BUCKETS_PER_CORE = 4
# A setting of the library's own: how many buckets a table is hashed onto.
BUCKETS = "spark.streamframes.buckets"


def n_buckets(spark: SparkSession) -> int:
    """How many buckets groups are hashed onto: several for each core, so that uneven ones even out.

    Where nobody knows how many cores there will be, the user's own number of shuffle partitions is taken.
    """
    own = str(spark.conf.get(BUCKETS, ""))
    if own.isdigit() and int(own):
        return int(own)
    cores = _known_cores(spark)
    return BUCKETS_PER_CORE * cores if cores else n_partitions(spark)


def n_cores(spark: SparkSession) -> int:
    """How many tasks run at a time, or as many as a shuffle has partitions."""
    return _known_cores(spark) or n_partitions(spark)


def _known_cores(spark: SparkSession) -> int:
    """The cores of the context that runs, or of the executors it will have; 0 where nothing says."""
    context = context_of(spark)
    if context is None:  # a Connect client knows the settings of its server
        here = local_cores(str(spark.conf.get("spark.master", "")))
        return here or _configured_cores(lambda key: spark.conf.get(key, ""))
    conf = context.getConf()
    fixed = conf.contains("spark.default.parallelism")
    here = local_cores(str(context.master))
    if here:
        return here if fixed else context.defaultParallelism
    configured = _configured_cores(lambda key: conf.get(key, ""))
    if fixed or conf.get("spark.dynamicAllocation.enabled", "false") == "true":
        return configured  # executors that run now are not those that a job will have
    # Executors may still be on their way.
    return max(configured, context.defaultParallelism)


def _configured_cores(setting: Callable[[str], str | None]) -> int:
    """The cores of all executors that are configured, 0 where the settings do not say."""
    dynamic = str(setting("spark.dynamicAllocation.enabled")).lower() == "true"
    executors = str(setting(f"spark.{'dynamicAllocation.maxExecutors' if dynamic else 'executor.instances'}"))
    each = str(setting("spark.executor.cores"))
    most = str(setting("spark.cores.max"))
    if executors.isdigit() and each.isdigit():
        return int(executors) * int(each)
    return int(most) if most.isdigit() else 0


def context_of(spark: SparkSession) -> SparkContext | None:
    """The context of a session; Connect has none, and some platforms let nobody have it."""
    try:
        return spark.sparkContext
    except (AttributeError, PySparkException, Py4JError):
        return None


def local_cores(master: str) -> int:
    """The cores of a local master, 0 for any other.

    >>> local_cores("local[3]"), local_cores("local"), local_cores("spark://host:7077")
    (3, 1, 0)
    """
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
