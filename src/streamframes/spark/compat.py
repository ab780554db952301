"""Versions: where those of Spark differ; each difference says from which version on it can go.

Everything else is the public interface that Spark 4.0 has, the oldest version: importing `spark` checks it.
"""

from __future__ import annotations

from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.hashing import bucket_names

# From 4.1 on Spark has a type for the time of day.
TIME_TYPES: tuple[type[T.DataType], ...] = (T.TimeType,) if hasattr(T, "TimeType") else ()


def repartitioned(rows: DataFrame, number: str, partitions: int) -> DataFrame:
    """The rows in the partition that a column says by its number."""
    if hasattr(rows, "repartitionById"):  # from 4.1 on
        return rows.repartitionById(partitions, F.col(number))
    names = bucket_names(partitions, partitions)
    return rows.repartition(partitions, F.get(F.lit(list(names)), F.col(number)))


def can_keep_state(rows: DataFrame) -> bool:
    """Whether a stream of these rows can have state that Python keeps: over Connect from 4.1 on."""
    return hasattr(rows.groupBy(), "transformWithStateInPandas")


def running_session() -> SparkSession | None:
    """The session that runs in this process, whichever thread has made it."""
    active = SparkSession.getActiveSession()
    if active is None and getattr(SparkContext, "_active_spark_context", None) is not None:
        return SparkSession.builder.getOrCreate()
    return active
