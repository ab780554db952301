"""Scans: Parquet files as rows that every verb takes in the place of a DataFrame.

A scan is two things. To whoever checks names and types it is the DataFrame that Spark's own reader would give. To
whoever packs rows it is a list of files: what a verb selects of them is read, computed and packed by the Python
workers themselves, as long as every selected expression can be computed there with Spark's results.

Spark's analyser says what an expression is: which column a name means, which casts are implied. Its answer, again as
SQL, is what gets translated, so that text and Columns alike are computed as Spark understands them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import types as T

from streamframes.arguments import Condition as Given
from streamframes.core.batch.packer import Layout
from streamframes.core.files.logs.opened import Format, open_table
from streamframes.core.files.parquet import Dataset
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.skipping.condition import Condition
from streamframes.core.sparksql import Untranslatable
from streamframes.spark.columns import column
from streamframes.spark.scan.analysed import resolved
from streamframes.spark.scan.tasks import raw_rows
from streamframes.spark.scan.where import Where, where_on
from streamframes.spark.session import session
from streamframes.spark.types import spark_schema


def scan_files(
    rows: Any,
    spark: SparkSession | None,
    filesystem: fs.FileSystem | None,
    format: Format | None = None,
    version: int | None = None,
    where: Given | None = None,
) -> Scan:
    """Files that agree in their columns, in the session that is active or a new one."""
    found: list[Where] = []
    running = spark or SparkSession.getActiveSession()
    condition_on = None if where is None else partial(_condition_on, found, where, running or session())
    dataset = open_table(rows, filesystem, format, version, condition_on)
    return Scan(dataset, spark_schema(dataset.schema), running or session(), found[0] if found else None)


def _condition_on(found: list[Where], where: Given, spark: SparkSession, columns: pa.Schema) -> Condition:
    """The condition on these columns, which is also noted."""
    found.append(where_on(where, _nothing(spark, columns, spark_schema(columns)), columns))
    return found[0].parts


def _nothing(spark: SparkSession, columns: pa.Schema, schema: T.StructType) -> DataFrame:
    """A table with these columns and no rows."""
    return spark.createDataFrame(columns.empty_table(), schema)


@dataclass(eq=False, repr=False)
class Scan:
    """Parquet files, to be given to a verb; `toDF()` reads them with Spark."""

    isStreaming = False  # noqa: N815  (Spark's name)
    dataset: Dataset
    schema: T.StructType
    sparkSession: SparkSession  # noqa: N815  (Spark's name)
    condition: Where | None = None
    _selected: Selected | None = None

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def files(self) -> list[str]:
        """The files, as their filesystem names them."""
        return [file.path for file in self.dataset.files]

    def toDF(self) -> DataFrame:
        """The rows as a DataFrame: read by Spark, or by Python workers where Spark's reader cannot."""
        return self._rows

    @cached_property
    def _rows(self) -> DataFrame:
        rows = self._all_rows
        return rows if self.condition is None else rows.where(self.condition.column)

    @property
    def _all_rows(self) -> DataFrame:
        """The rows of the files that are left, before those are kept for which the condition holds."""
        if not self.files:
            return self.nothing
        if self.left_to_workers:
            return raw_rows(self.dataset, self.sparkSession, self.schema)
        reader = self.sparkSession.read.schema(self.schema)
        if self.dataset.root is not None:
            reader = reader.option("basePath", self.dataset.root)
        return reader.parquet(*self.files)

    @cached_property
    def left_to_workers(self) -> str:
        """Why Spark's reader cannot read the files; empty where it can."""
        if self.dataset.log:
            return f"the log of {self.dataset.log} says what its rows are"
        if not isinstance(self.dataset.filesystem, fs.LocalFileSystem):
            return f"the files are on a {self.dataset.filesystem.type_name} filesystem"
        for footer in self.dataset.footers:
            for field in footer.schema:
                if pa.types.is_timestamp(field.type) and field.type.unit == "ns":
                    return f"column {field.name!r} has nanoseconds"
        return ""

    @cached_property
    def nothing(self) -> DataFrame:
        """A table with these columns and no rows, against which expressions are checked."""
        return _nothing(self.sparkSession, self.dataset.schema, self.schema)

    def mapInArrow(self, *args: Any, **kwargs: Any) -> DataFrame:
        """As of the DataFrame; said here so that it is known without making one."""
        return self.toDF().mapInArrow(*args, **kwargs)

    def select(self, *columns: Any) -> Selected:
        """Some columns or expressions over them; Spark is not asked about the same ones twice in turn."""
        chosen = [each if isinstance(each, Column) else column(each) for each in columns]
        if self._selected is None or list(map(id, chosen)) != list(map(id, self._selected.chosen)):
            self._selected = Selected(self, chosen)
        return self._selected

    def __getattr__(self, name: str) -> Any:
        """Whatever else a DataFrame can do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.toDF(), name)

    def __repr__(self) -> str:
        where = "" if self.condition is None else f" where {self.condition.shown}"
        return f"Scan({self.size}{where}: {', '.join(self.columns)})"

    @property
    def size(self) -> str:
        """How many files and rows are read, in words."""
        files = f"{len(self.files)} file{'' if len(self.files) == 1 else 's'}"
        skipped = self.dataset.skipped
        if not self.dataset.skipped.n_files:
            return f"{files}, {self.dataset.rows:,} rows"
        groups = f" and {skipped.row_groups} of {skipped.n_row_groups} row groups" if skipped.row_groups else ""
        return f"{files}, {self.dataset.rows:,} rows; skips {skipped.files} of {skipped.n_files} files{groups}"


@dataclass(eq=False, repr=False)
class Selected:
    """Columns of a scan, not yet read."""

    isStreaming = False  # noqa: N815  (Spark's name)
    scan: Scan
    chosen: list[Column]

    @cached_property
    def _checked(self) -> DataFrame:
        return self.scan.nothing.select(*self.chosen)

    @cached_property
    def schema(self) -> T.StructType:
        """The columns, as Spark knows them."""
        return self._checked.schema

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    def toDF(self) -> DataFrame:
        """The same through Spark's reader."""
        return self.scan.toDF().select(*self.chosen)

    def selection(self, layout: Layout) -> Selection | str:
        """What workers read and compute; or in words why it is left to Spark."""
        where = self.scan.condition
        if where is not None and where.expression is None:
            return where.why_spark
        try:
            values = resolved(self._checked, self.scan.dataset.schema, layout)
            return Selection(self.scan.dataset, layout, values, None if where is None else where.expression)
        except Untranslatable as reason:
            return str(reason)

    def __getattr__(self, name: str) -> Any:
        """Whatever else a DataFrame can do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.toDF(), name)
