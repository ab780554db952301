"""Sessions: one with the library's settings is started, or one that runs is taken as it is."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping

from pyspark.sql import SparkSession

from streamframes.extras import need
from streamframes.spark.buckets import context_of, local_cores
from streamframes.spark.compat import running_session
from streamframes.spark.configure import Configured, set_at_run_time
from streamframes.spark.settings import AT_RUN_TIME, given_to_spark, settings_for, spelled

log = logging.getLogger("streamframes")
NAME = "streamframes"


def session(name: str = NAME, *, master: str | None = None, **settings: str) -> SparkSession:
    """The session that runs, or a new one with the library's settings; `settings` come on top.

    Keywords are written with `_` in the place of `.`; a key that has dots, `**{"spark.sql.catalog.my_catalog": ...}`,
    stays as it is.
    """
    own = spelled(settings)
    running = running_session()
    if running is not None:
        return _taken(running, master, own)
    remote = _remote(master, own)
    if remote is not None:
        return _connected(remote, own)
    return _started(name, master, own)


def _taken(spark: SparkSession, master: str | None, own: Mapping[str, str]) -> SparkSession:
    """A session that was there before: it has what it is given here, and nothing else changes."""
    context = context_of(spark)
    if master is not None and context is not None and context.master != master:
        log.warning("session() got master=%r, but a session on %s runs; stop it first", master, context.master)
    done = set_at_run_time(spark, own)
    log.info("session() took the session that runs and set %s; sf.configure(spark) sets more", done.brief())
    _warn_of_refused(done)
    return spark


def _remote(master: str | None, own: Mapping[str, str]) -> str | None:
    """The address of a Connect server, where one is given or the environment names one."""
    if master is not None:
        return master if master.startswith("sc://") else None
    return own.get("spark.remote") or (None if own.get("spark.master") else os.environ.get("SPARK_REMOTE"))


def _connected(remote: str, own: Mapping[str, str]) -> SparkSession:
    """A session on a Connect server, which has its own Java and its own settings."""
    need("connect")
    spark: SparkSession = SparkSession.builder.remote(remote).getOrCreate()
    done = set_at_run_time(spark, {**AT_RUN_TIME, **own})
    log.info("session() connected to %s and set %s", remote.partition(";")[0], done.brief())
    _warn_of_refused(done)
    return spark


def _warn_of_refused(done: Configured) -> None:
    for key, why in done.refused.items():
        log.warning("session() could not set %s: %s", key, why)


def _started(name: str, master: str | None, own: Mapping[str, str]) -> SparkSession:
    """A new session; what spark-submit, the environment and spark-defaults say stays as it is."""
    submitted = "PYSPARK_GATEWAY_PORT" in os.environ
    given = given_to_spark()
    # A JVM that spark-submit has started knows the master, and has read its settings.
    where = master or own.get("spark.master") or ("" if submitted else given.get("spark.master", "local[*]"))
    added = {} if submitted else {key: value for key, value in settings_for(where).items() if key not in given}
    if local_cores(where):
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder
    if name != NAME or not (submitted or "spark.app.name" in given):
        builder = builder.appName(name)
    if master is not None:
        builder = builder.master(master)
    for key, value in {**added, **own}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    context = context_of(spark)
    log.info("session() started on %s with %s", context.master if context else where, ", ".join(added) or "no settings")
    if submitted:
        kept = {
            key: value for key, value in AT_RUN_TIME.items() if context is None or not context.getConf().contains(key)
        }
        log.info("session() set %s", set_at_run_time(spark, kept).brief())
    return spark
