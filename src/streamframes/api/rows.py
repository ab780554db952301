"""Where rows come from: files that workers read themselves, and the Spark session that everything runs in."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pyarrow.fs as pafs

    from streamframes.arguments import Condition
    from streamframes.core.files.logs.opened import Format
    from streamframes.spark import DataFrame, SparkSession, StructType
    from streamframes.spark.configure import Configured
    from streamframes.spark.decoding.decode import Decoded
    from streamframes.spark.scan.scan import Scan


def scan(
    paths: str | PathLike[str] | Sequence[str | PathLike[str]] | object,
    *,
    spark: SparkSession | None = None,
    filesystem: pafs.FileSystem | None = None,
    format: Format | None = None,
    version: int | None = None,
    where: Condition | None = None,
) -> Scan:
    """Parquet files, a Delta table or an Iceberg table as rows, which every verb takes in the place of a DataFrame.

    Spark deals out the work; its Python workers read the columns that are needed from the files themselves, so that
    no row passes through the JVM. Footers are read at once, to check that the files agree and to learn in which order
    their row groups are.

    Parameters
    ----------
    paths
        Files, folders, patterns like `"data/*.parquet"`, or URIs of any filesystem that PyArrow knows; one of them or
        a list. Folders named `day=2024-01-01` are columns. Or a table: the path of a Delta table, a `DeltaTable` of
        `deltalake`, an Iceberg `Table` of `pyiceberg`, or the path of its metadata file.
    spark
        The session that deals out the work; the active one, or a new one of `session()`, unless given.
    filesystem
        A `pyarrow.fs.FileSystem` on which the paths lie.
    format
        `"delta"` or `"iceberg"` where a path names a table; needs the extra of that name.
    version
        The version of a Delta table, or the id of a snapshot of an Iceberg table; the last one unless given.
    where
        A condition like `"region = 'EU' and ts >= '2026-01-01'"`, SQL text or a Column: only rows on which it is true
        are there, as with `where()` of a DataFrame. Files in which no row can satisfy it are not opened, row groups
        not read: the log of a table, folders and statistics tell.
    """
    from streamframes.spark.scan.scan import scan_files

    return scan_files(paths, spark, filesystem, format, version, where)


def decode(
    rows: DataFrame,
    schema: str | StructType,
    *,
    format: Literal["json", "avro"] = "json",
    value: str = "value",
    keep: Sequence[str] = (),
    ids: int | Sequence[int] | None = None,
    name: str = "decode",
) -> Decoded:
    """Rows of a topic of Kafka, or others whose values are bytes, as rows with columns.

    A value that does not say what the schema wants stops nothing and is not lost: it is in `.bad`, as it came, with the
    reason. Queries over `.good` show in their progress, under `name`, how many `rows` came and how many were `bad`.

    Parameters
    ----------
    rows
        A table or a stream with a column of values, like those that Spark's source `kafka` gives.
    schema
        The columns: DDL like `"router string not null, ts timestamp not null, drop_pct double"` or a `StructType` for
        JSON, the JSON of a record for Avro. What is `not null` must be there; other members may be missing or null.
    format
        `"json"` or `"avro"`; for Avro the session needs Spark's package `spark-avro`.
    value
        The column of the values, binary or string.
    keep
        Columns of the rows to keep beside: `["topic", "partition", "offset", "timestamp"]`.
    ids
        Of Avro behind a registry's five bytes, the ids whose schema this is; without it values have no such bytes.
    name
        What the progress of a query calls the counts; two inputs of one query need two names.

    Returns
    -------
    Decoded
        `.good` and `.bad`, two DataFrames.
    """
    from streamframes.spark.decoding.decode import decode as decoded

    return decoded(rows, schema, format, value, keep, ids, name)


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
