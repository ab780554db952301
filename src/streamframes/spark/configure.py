"""Configuring: a session that runs gets what can still be set, and an answer says what was set and what was not."""

from __future__ import annotations

import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from streamframes.core.validation import check_positive_int
from streamframes.spark.buckets import BUCKETS, context_of, local_cores
from streamframes.spark.failures import reason, unlogged
from streamframes.spark.settings import AT_RUN_TIME, AT_START, BATCH_BYTES, PROVIDER

log = logging.getLogger("streamframes")


@dataclass(frozen=True, repr=False)
class Configured:
    """What has been set in a session, and what could not be."""

    changed: dict[str, tuple[str | None, str]] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def brief(self) -> str:
        """What has been set, in one line."""
        return ", ".join(f"{key}={value}" for key, (_, value) in self.changed.items()) or "nothing"

    def __repr__(self) -> str:
        lines = [f"set {key}={value} (was {before or 'its default'})" for key, (before, value) in self.changed.items()]
        lines += [f"kept {key}={value}" for key, value in self.kept.items()]
        lines += [f"not set {key}: {why}" for key, why in self.refused.items()]
        return "\n".join(lines)


def configure(spark: SparkSession, buckets: int | None = None) -> Configured:
    """Set what the library gains from in a session that runs, wherever it came from."""
    wanted = dict(AT_RUN_TIME)
    if buckets is not None:
        check_positive_int(buckets, "configure() got buckets")
        wanted[BUCKETS] = str(buckets)
    # A provider of somebody else's RocksDB, as some platforms have it, is as good.
    if "RocksDB" in str(spark.conf.get(PROVIDER)):
        del wanted[PROVIDER]
    done = set_at_run_time(spark, wanted)
    context = context_of(spark)
    if context is not None and local_cores(str(context.master)):
        _use_this_python(context, done)
        for key, value in AT_START.items():
            if value not in context.getConf().get(key, ""):  # Spark adds options of its own to those of Java
                done.refused[key] = f"it is read when a session starts; give it there: {value}"
    return done


@lru_cache(maxsize=16)
def hint_once(spark: SparkSession) -> None:
    """Say of a session, once, that a setting which nobody has chosen makes every table slow."""
    if spark.conf.get(BATCH_BYTES, None) is None:
        log.warning(
            "Spark adds up the size of a batch after every row that it hands to Python, which can take as long as all "
            "the rest: sf.configure(spark) ends that in this session, and prints what it sets. Said once a session."
        )


def _use_this_python(context: SparkContext, done: Configured) -> None:
    """Workers on this machine that are to run another Python run this one."""
    before = context.pythonExec
    if before != sys.executable:
        context.pythonExec = sys.executable
        done.changed["PYSPARK_PYTHON"] = before, sys.executable


def set_at_run_time(spark: SparkSession, wanted: Mapping[str, str]) -> Configured:
    """Set what can be set in a session that runs; an answer for each setting."""
    done = Configured()
    for key, value in wanted.items():
        before = spark.conf.get(key, None)
        if before == value:
            done.kept[key] = value
            continue
        try:
            with unlogged():
                spark.conf.set(key, value)
            done.changed[key] = before, value
        except (PySparkException, Py4JError) as error:
            done.refused[key] = reason(error)
    return done
