"""Where rows come from: files that workers read themselves, and the Spark session that everything runs in."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow.fs as pafs

    from streamframes.spark import SparkSession
    from streamframes.spark.configure import Configured
    from streamframes.spark.scan.scan import Scan


def scan(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    spark: SparkSession | None = None,
    filesystem: pafs.FileSystem | None = None,
) -> Scan:
    """Parquet files as rows, which every verb takes in the place of a DataFrame.

    Spark deals out the work; its Python workers read the columns that are needed from the files themselves, so that
    no row passes through the JVM. Footers are read at once, to check that the files agree and to learn in which order
    their row groups are.

    Parameters
    ----------
    paths
        Files, folders, patterns like `"data/*.parquet"`, or URIs of any filesystem that PyArrow knows; one of them or
        a list. Folders named `day=2024-01-01` are columns.
    spark
        The session that deals out the work; the active one, or a new one of `session()`, unless given.
    filesystem
        A `pyarrow.fs.FileSystem` on which the paths lie.
    """
    from streamframes.spark.scan.scan import scan_files

    return scan_files(paths, spark, filesystem)


def session(name: str = "streamframes", *, master: str | None = None, **settings: str) -> SparkSession:
    """A Spark session with the settings that the library gains from, or the one that runs already.

    Any session will do; this one saves the settings. What `spark-submit`, the environment (`MASTER`, `SPARK_REMOTE`)
    and `spark-defaults.conf` say stays as it is; where nobody names a master, it is `local[*]`. A session that runs
    is returned as it is, with `settings` alone set: `configure()` sets more. What was set is logged by the logger
    `streamframes`, in one line.

    Parameters
    ----------
    name
        What Spark calls the application.
    master
        Where Spark runs: `"local[4]"`, `"spark://host:7077"`, `"yarn"`, or a Connect server, `"sc://host"`.
    settings
        Further settings, with `_` for `.`: `session(spark_sql_shuffle_partitions="8")`.
    """
    from streamframes.spark.session import session as build

    return build(name, master=master, **settings)


def configure(spark: SparkSession, *, buckets: int | None = None) -> Configured:
    """Set what the library gains from in a session that runs, and say what was set and what could not be.

    Settings that Spark reads only when it starts are named with the value to give it there. On a local master,
    workers run this Python from here on.

    Parameters
    ----------
    spark
        A session of your own, classic or Connect.
    buckets
        How many buckets the groups of a table are hashed onto, each of which a task scans; four for each core unless
        given. Results do not depend on it.

    Examples
    --------
    >>> configure(spark)  # doctest: +SKIP
    set spark.sql.execution.arrow.maxBytesPerBatch=2147483647 (was 64MB)
    """
    from streamframes.spark.configure import configure as set_in

    return set_in(spark, buckets)
