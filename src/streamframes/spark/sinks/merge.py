"""Tables of Delta and Iceberg: a batch is merged by key, and one that is repeated changes no row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.changes import Changes
from streamframes.spark.columns import column, quoted
from streamframes.spark.failures import reason
from streamframes.spark.sinks.batch import SparkBatch

_ODD = re.compile(r"[ ,;{}()\n\t=]")
_SOURCE = "sf_sink_rows"
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

    def write(self, batch: SparkBatch) -> None:
        """Merge a batch; the table is made where it is missing."""
        if batch.bad == "aside":
            raise InvalidArgument(
                "upsert() got bad='aside', but a table holds every row that has a key; say bad='fail'"
            )
        rows = batch.newest().persist()
        try:
            # All rows are computed here, once: a state of a stream is kept only where they are.
            missing = F.lit(False)
            for name in batch.changes.key:
                missing = missing | column(name).isNull()
            found = rows.agg(F.count(F.lit(1)), F.count(F.when(missing, 1))).collect()[0]
            if found[1]:
                raise SinkError(
                    f"{found[1]} rows for {self.table} have no {', '.join(batch.changes.key)}; filter such rows out"
                )
            if found[0]:
                self._merge(rows, batch.changes)
        finally:
            rows.unpersist()

    def _merge(self, rows: DataFrame, changes: Changes) -> None:
        spark = rows.sparkSession
        rows.createOrReplaceTempView(_SOURCE)
        try:
            columns, properties = _ddl(rows.schema), self._properties(rows)
            spark.sql(f"CREATE TABLE IF NOT EXISTS {self.table} ({columns}) USING {self.format}{properties}")
            spark.sql(merge_statement(self.table, rows.schema, changes))
        except (PySparkException, Py4JError) as error:
            said = reason(error)
            remedy = (
                f"; {_NEEDS[self.format]}" if "not supported" in said or "DATA_SOURCE_NOT_FOUND" in str(error) else ""
            )
            raise SinkError(f"{self.table} cannot be merged into: {said}{remedy}") from None
        finally:
            spark.catalog.dropTempView(_SOURCE)

    def _properties(self, rows: DataFrame) -> str:
        """What a new table needs: Delta has names with blanks and the like in its schema, and not in its files."""
        if self.format != "delta" or not any(_ODD.search(name) for name in rows.columns):
            return ""
        return " TBLPROPERTIES ('delta.columnMapping.mode' = 'name')"


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


def _ddl(schema: T.StructType) -> str:
    return ", ".join(f"{quoted(each.name)} {each.dataType.simpleString()}" for each in schema)
