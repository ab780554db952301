"""Sinks: where frames are read by those who do not run Spark, one row for each, brought up to date batch by batch.

query = loss.toDF().writeStream.foreachBatch(sf.sink.upsert(sf.sink.SQLite("episodes.db", table="loss"))).start()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument
from streamframes.extras import need
from streamframes.sinks.changes import BAD, RETRACTED
from streamframes.sinks.protocol import Target
from streamframes.sinks.sqlite import SQLite

if TYPE_CHECKING:
    from streamframes.sinks.postgres.target import Postgres as PostgresTarget
    from streamframes.spark.sinks.batch import SparkBatch
    from streamframes.spark.sinks.kafka import KafkaTopic
    from streamframes.spark.sinks.merge import MergedTable
    from streamframes.spark.sinks.upsert import Upsert

__all__ = ["Delta", "Iceberg", "Kafka", "Postgres", "SQLite", "upsert"]


def Postgres(url: str, *, table: str, schema: str | None = None, add_columns: bool = False) -> PostgresTarget:
    """A table of Postgres, for `upsert()`; needs the extra `postgres`.

    Parameters
    ----------
    url
        The address, as libpq takes it: `"postgresql://user@host:5432/database"` or `"host=... dbname=..."`. A password
        may be in it, and is never shown; better in `PGPASSWORD` or `~/.pgpass` of the driver.
    table
        The table, which is made of the columns of the first batch where it is missing. The name is taken as it is.
    schema
        The schema of the table; unless given, the first of the user's search path.
    add_columns
        Add the columns that a table lacks, instead of refusing it.
    """
    need("postgres")
    from streamframes.sinks.postgres.target import Postgres as Target
    from streamframes.sinks.postgres.target import settings_of

    return Target(settings=settings_of(url), table=table, schema=schema, add_columns=add_columns)


def Kafka(servers: str, topic: str, *, options: Mapping[str, str] | None = None) -> KafkaTopic:
    """A topic of Kafka, for `upsert()`: each row is a message under its key; the session needs Spark's connector.

    The key is the id as text, the value JSON with every digit, and headers say what is newer: `fragment` and `final`,
    or `version`. A retracted row is a message without a value. A batch that is repeated after a crash is sent again,
    with the same messages: who reads keeps of each key the newest, as a compacted topic does.

    Parameters
    ----------
    servers
        The addresses: `"host:9092,other:9092"`.
    topic
        The topic.
    options
        Further options of Spark's sink, such as `{"kafka.security.protocol": "SASL_SSL"}`; values are never shown.
    """
    from streamframes.spark.sinks.kafka import KafkaTopic

    return KafkaTopic(_text(servers, "servers"), _text(topic, "topic"), dict(options or {}))


def Delta(table: str | None = None, *, path: str | None = None) -> MergedTable:
    """A Delta table, for `upsert()`, merged by key; the session needs Delta's package and extension.

    Parameters
    ----------
    table
        Its name as SQL takes it: `"episodes"`, "catalog.schema.`my episodes`"; made where it is missing.
    path
        Its folder, instead of a name.
    """
    from streamframes.spark.sinks.merge import MergedTable

    if (table is None) == (path is None):
        raise InvalidArgument(f"Delta() got table={table!r} and path={path!r}; give one of them")
    name = f"delta.`{_text(path, 'path')}`" if path is not None else _text(table, "table")
    return MergedTable(name, "delta")


def Iceberg(table: str) -> MergedTable:
    """An Iceberg table, for `upsert()`, merged by key; the session needs Iceberg's runtime, extension and catalog.

    Parameters
    ----------
    table
        Its name as SQL takes it, with the catalog: `"lake.db.episodes"`; made where it is missing.
    """
    from streamframes.spark.sinks.merge import MergedTable

    return MergedTable(_text(table, "table"), "iceberg")


def upsert(
    target: Target[SparkBatch],
    *,
    key: str | Sequence[str] = "frame_id",
    order: str | Sequence[str] | None = None,
    bad: str = "fail",
    retracted: str = "delete",
) -> Upsert:
    """What `foreachBatch` calls to bring a target up to date: one row under each key, the newest that has come.

    Repeating a batch changes nothing, and a row that is older than the stored one changes nothing. A batch is written
    as a whole or not at all. Of a table the same function writes all rows: `upsert(target)(frames.toDF())`.

    Parameters
    ----------
    target
        `SQLite(...)`, `Postgres(...)` or another target of `sf.sink`.
    key
        The columns that say what a row is about: `"frame_id"` for frames, regions, runs of bursts and sessions;
        `["class", "id", "measure"]` for the latest measures of sessions.
    order
        Columns that rise with each change of a key. Unless given, `frame_version`, or `frame_fragment` and
        `frame_final`, where the rows have them; without, rows of one key must be equal.
    bad
        What happens to a row with a value that the target cannot hold: the batch stops with the row and the reason
        (`"fail"`), or the row is kept in a table or topic beside, `..._aside`, with the reason (`"aside"`).
    retracted
        Rows with a true `frame_retracted` delete the stored row (`"delete"`), or replace it (`"mark"`).
    """
    from streamframes.spark.sinks.upsert import Upsert

    if not hasattr(target, "write"):
        raise InvalidArgument(f"upsert() got target={target!r}; give one such as sf.sink.SQLite('a.db', table='t')")
    check_choice(bad, "bad", BAD)
    check_choice(retracted, "retracted", RETRACTED)
    return Upsert(target, _names(key, "key"), None if order is None else _names(order, "order"), bad, retracted)


def _text(value: object, argument: str) -> str:
    if not isinstance(value, str) or not value:
        raise InvalidArgument(f"{argument}={value!r} must be a text that is not empty")
    return value


def _names(value: str | Sequence[str], argument: str) -> tuple[str, ...]:
    """One or more names of columns."""
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, Sequence) else ()
    if not names or len(set(names)) < len(names) or not all(isinstance(name, str) and name for name in names):
        raise InvalidArgument(f"upsert() got {argument}={value!r}; name one column, or several in a list")
    return names
