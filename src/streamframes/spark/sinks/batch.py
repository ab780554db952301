"""Batches: a DataFrame as targets take it, with the rules by which its rows replace others."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from streamframes.errors import InvalidArgument
from streamframes.sinks.changes import Changes
from streamframes.spark.columns import column
from streamframes.spark.sinks.row_json import row_json
from streamframes.spark.types import arrow_type

_ALONE = "__sf_alone"


@dataclass(frozen=True)
class SparkBatch:
    """A micro-batch or a table; `protocol.Batch` for databases, and `rows` for targets that Spark writes to.

    Each use of `rows` carries out the query once more: a target that needs them twice persists them first.
    """

    rows: DataFrame
    schema: pa.Schema
    changes: Changes
    number: int | None
    bad: str

    def table(self) -> pa.Table:
        """The rows on the driver; carries out the query."""
        return self.rows.toArrow().cast(self.schema)

    def newest(self) -> DataFrame:
        """One row of each key, the newest, as a DataFrame; rows that only say how far a stream is are left out."""
        rows, changes = self.rows, self.changes
        if changes.rows is not None:
            rows = rows.filter(column(changes.key[0]).isNotNull() | column(changes.rows).isNotNull())
        # Rows without a key have nothing to do with one another.
        missing = F.lit(False)
        for name in changes.key:
            missing = missing | column(name).isNull()
        distinct = rows if changes.order else rows.distinct()
        rows = distinct.withColumn(_ALONE, F.when(missing, row_json(rows.schema, changes.key)))
        same_key = Window.partitionBy(*map(column, changes.key), _ALONE)
        if not changes.order:
            return _one_of_each(rows, same_key, changes.key).drop(_ALONE)
        newest_first = [column(name).desc_nulls_last() for name in changes.order]
        rank = F.row_number().over(same_key.orderBy(*newest_first))
        return rows.withColumn("__sf_rank", rank).filter("__sf_rank = 1").drop("__sf_rank", _ALONE)


def _one_of_each(rows: DataFrame, same_key: WindowSpec, key: tuple[str, ...]) -> DataFrame:
    """Rows of which no two have the same key: which one is right is unknown, so the batch stops."""
    same = F.count(F.lit(1)).over(same_key)
    error = F.raise_error(
        F.lit(
            f"rows of one batch have the same {', '.join(key)}, but differ; name all columns that tell rows apart, as "
            "upsert(..., key=[...]), or a column that rises with each change, as order="
        )
    )
    is_alone = F.when(F.col("__sf_same") == 1, F.lit(True)).otherwise(error.cast("boolean"))
    return rows.withColumn("__sf_same", same).filter(is_alone).drop("__sf_same")


def schema_of(rows: DataFrame) -> pa.Schema:
    """The columns with the Arrow types that carry them."""
    names = rows.columns
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InvalidArgument(f"upsert() got rows with two columns named {twice[0]!r}; rename one")
    fields = []
    for each in rows.schema:
        try:
            fields.append(pa.field(each.name, arrow_type(each.dataType)))
        except InvalidArgument as error:
            raise InvalidArgument(f"upsert() got column {each.name!r}: {error}") from None
    return pa.schema(fields)
