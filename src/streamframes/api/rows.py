"""Where rows come from: files that workers read themselves, and the Spark session that everything runs in."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow.fs as pafs

    from streamframes.spark import SparkSession
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


def session(name: str = "streamframes", *, master: str = "local[*]", **settings: str) -> SparkSession:
    """A local Spark session with the settings that the library gains from.

    Any session will do for tables; this one saves a newcomer the settings. Further ones are given with `_` for
    `.`: `session(spark_sql_shuffle_partitions="8")`.
    """
    from streamframes.spark.session import session as build

    return build(name, master=master, **settings)
