"""Tables of Delta and Iceberg: a batch is merged by key, and one that is repeated changes no row."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import SinkError
from streamframes.sinks.changes import Changes
from streamframes.spark.columns import column, quoted
from streamframes.spark.failures import reason
from streamframes.spark.sinks.batch import SparkBatch
from streamframes.spark.sinks.refused import Refusal, aside, first_refused, reasons, without_key
from streamframes.spark.sinks.stored import not_held

_ODD = re.compile(r"[ ,;{}()\n\t=]")
_SOURCE = "sf_sink_rows"
_REASON = "__sf_reason"
_NEEDS = {
    "delta": "the session needs io.delta:delta-spark and spark.sql.extensions=io.delta.sql.DeltaSparkSessionExtension",
    "iceberg": "the session needs iceberg-spark-runtime and "
    "spark.sql.extensions=org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
}


@dataclass(frozen=True)
class MergedTable:
    """A table of Delta or Iceberg as a target of `upsert`; see `api.sink.Delta` and `api.sink.Iceberg`."""

    table: str
    format: str

    @property
    def aside_table(self) -> str:
        """The table beside, of rows that this one cannot hold."""
        is_quoted = self.table.endswith("`")
        return f"{self.table[:-1]}_aside`" if is_quoted else f"{self.table}_aside"

    def write(self, batch: SparkBatch) -> None:
        """Merge a batch; the table is made where it is missing.

        Rows aside are written first: a batch is repeated until the table has the others, and then adds none.
        """
        refusals = [*without_key(batch.changes.key), *self._not_held(batch.rows)]
        rows = batch.newest().withColumn(_REASON, reasons(refusals)).persist()
        try:
            # All rows are computed here, once: a state of a stream is kept only where they are.
            found, refused = rows.agg(F.count(F.lit(1)), F.count(_REASON)).collect()[0]
            if refused:
                self._refuse(rows.filter(column(_REASON).isNotNull()), refusals, batch, refused)
            if found > refused:
                self._merge(rows.filter(column(_REASON).isNull()).drop(_REASON), batch.changes)
        finally:
            rows.unpersist()

    def _not_held(self, rows: DataFrame) -> list[Refusal]:
        spark, properties = rows.sparkSession, self._properties(rows)
        with self._errors(self.table):
            create(spark, self.table, self.format, rows.schema, properties)
            return not_held(rows.schema, spark.table(self.table).schema)

    def _refuse(self, rows: DataFrame, refusals: Sequence[Refusal], batch: SparkBatch, count: int) -> None:
        """Stop the batch, or keep these rows in the table beside, unless they are there."""
        own, key = rows.drop(_REASON), batch.changes.key
        if batch.bad == "fail":
            raise first_refused(own, refusals, key, count, self.table)
        kept = rows.select(*aside(own.schema, key, batch.number, column(_REASON))).dropDuplicates(["digest"])
        with self._errors(self.aside_table), viewed(kept) as spark:
            create(spark, self.aside_table, self.format, kept.schema, "")
            spark.sql(
                f"MERGE INTO {self.aside_table} AS stored USING {_SOURCE} AS own ON stored.digest = own.digest "
                "WHEN NOT MATCHED THEN INSERT *"
            )

    def _merge(self, rows: DataFrame, changes: Changes) -> None:
        with self._errors(self.table), viewed(rows) as spark:
            spark.sql(merge_statement(self.table, rows.schema, changes))

    @contextmanager
    def _errors(self, table: str) -> Iterator[None]:
        """Raise what Spark says of a table as a `SinkError`."""
        try:
            yield
        except (PySparkException, Py4JError) as error:
            said = reason(error)
            remedy = (
                f"; {_NEEDS[self.format]}" if "not supported" in said or "DATA_SOURCE_NOT_FOUND" in str(error) else ""
            )
            raise SinkError(f"{table} cannot be merged into: {said}{remedy}") from None

    def _properties(self, rows: DataFrame) -> str:
        """What a new table needs: Delta has names with blanks and the like in its schema, and not in its files."""
        if self.format != "delta" or not any(_ODD.search(name) for name in rows.columns):
            return ""
        return " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


def create(spark: SparkSession, table: str, format: str, schema: T.StructType, properties: str) -> None:
    """Make a table where it is missing."""
    columns = ", ".join(f"{quoted(each.name)} {each.dataType.simpleString()}" for each in schema)
    spark.sql(f"CREATE TABLE IF NOT EXISTS {table} ({columns}) USING {format}{properties}")


@contextmanager
def viewed(rows: DataFrame) -> Iterator[SparkSession]:
    """The rows as a view that statements name."""
    spark = rows.sparkSession
    rows.createOrReplaceTempView(_SOURCE)
    try:
        yield spark
    finally:
        spark.catalog.dropTempView(_SOURCE)


def merge_statement(table: str, schema: T.StructType, changes: Changes) -> str:
    """The MERGE that brings a table up to date with the rows of the view."""
    names = schema.names
    same = " AND ".join(f"stored.{quoted(name)} = own.{quoted(name)}" for name in changes.key)
    newer = _not_older(changes.order)
    sets = ", ".join(f"{quoted(name)} = own.{quoted(name)}" for name in names)
    own = ", ".join(f"own.{quoted(name)}" for name in names)
    clauses, gone = [], None
    if changes.retracted is not None:
        gone = f"coalesce(own.{quoted(changes.retracted)}, false)"
        clauses.append(f"WHEN MATCHED AND {gone} AND {newer} THEN DELETE")
    clauses.append(f"WHEN MATCHED AND {newer} THEN UPDATE SET {sets}")
    only = f" AND NOT {gone}" if gone else ""
    clauses.append(f"WHEN NOT MATCHED{only} THEN INSERT ({', '.join(map(quoted, names))}) VALUES ({own})")
    return f"MERGE INTO {table} AS stored USING {_SOURCE} AS own ON {same} {' '.join(clauses)}"


def _not_older(order: Sequence[str]) -> str:
    """Whether a row is at least as new as the stored one; nulls come first."""
    if not order:
        return "true"
    stored, own = (", ".join(f"{side}.{quoted(name)}" for name in order) for side in ("stored", "own"))
    return f"(struct({stored}) <= struct({own}))"
