"""Scans: Parquet files as rows that every verb takes in the place of a DataFrame.

A scan is two things. To whoever checks names and types it is the DataFrame that Spark's own reader would give. To
whoever packs rows it is a list of files: what a verb selects of them is read, computed and packed by the Python
workers themselves, as long as every selected expression can be computed there with Spark's results.

Spark's analyser says what an expression is: which column a name means, which casts are implied. Its answer, again as
SQL, is what gets translated, so that text and Columns alike are computed as Spark understands them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pyarrow as pa
from pyarrow import fs
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import types as T

from streamframes.core.batch.packer import Layout
from streamframes.core.files.logs.opened import Format, open_table
from streamframes.core.files.parquet import Dataset
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.sparksql import Expression, Untranslatable, translate
from streamframes.spark.columns import column
from streamframes.spark.scan.tasks import raw_rows
from streamframes.spark.session import session
from streamframes.spark.types import spark_type

# Strings and quoted names are left alone; a decimal is written without its suffix, and between() under a name that is
# no keyword.
_PARTS = re.compile(
    r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|(?P<number>\b\d+(?:\.\d*)?|\.\d+)BD\b|(?P<between>\bbetween(?=\())"
)
# Words that Spark writes without quotes, whether they are names of columns or not.
_WORDS = {"true", "false", "null", "current_date", "current_timestamp", "current_user", "user", "localtimestamp"}


def scan_files(
    rows: Any,
    spark: SparkSession | None,
    filesystem: fs.FileSystem | None,
    format: Format | None = None,
    version: int | None = None,
) -> Scan:
    """Files that agree in their columns, in the session that is active or a new one."""
    dataset = open_table(rows, filesystem, format, version)
    schema = T.StructType([T.StructField(field.name, spark_type(field.type)) for field in dataset.schema])
    return Scan(dataset, schema, spark or SparkSession.getActiveSession() or session())


@dataclass(eq=False, repr=False)
class Scan:
    """Parquet files, to be given to a verb; `toDF()` reads them with Spark."""

    isStreaming = False  # noqa: N815  (Spark's name)
    dataset: Dataset
    schema: T.StructType
    sparkSession: SparkSession  # noqa: N815  (Spark's name)
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
        return self.sparkSession.createDataFrame(self.dataset.schema.empty_table(), self.schema)

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
        return f"Scan({len(self.files)} files, {self.dataset.rows:,} rows: {', '.join(self.columns)})"


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
        try:
            values = resolved(self._checked, self.scan.dataset.schema, layout)
            return Selection(self.scan.dataset, layout, values)
        except Untranslatable as reason:
            return str(reason)

    def __getattr__(self, name: str) -> Any:
        """Whatever else a DataFrame can do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.toDF(), name)


def resolved(selected: DataFrame, schema: pa.Schema, layout: Layout) -> tuple[str | Expression, ...]:
    """For each column of a projection the name of a column, or an expression over columns."""
    kinds = [*layout.keys.types, layout.ts_type, *layout.columns]
    ansi = str(selected.sparkSession.conf.get("spark.sql.ansi.enabled")).lower() == "true"
    return tuple(
        str(each.name())
        if each.getClass().getSimpleName() == "AttributeReference" and schema.field(each.name()).type == kind
        else _translated(str(each.sql()), schema, kind, ansi=ansi)
        for each, kind in zip(_projected(selected), kinds, strict=True)
    )


def _translated(text: str, schema: pa.Schema, kind: pa.DataType, *, ansi: bool) -> Expression:
    confusing = [name for name in schema.names if name.lower() in _WORDS]
    if confusing:
        raise Untranslatable(f"a column is called {confusing[0]}, which may mean something else in {text}")
    expression = translate(_plain(text), schema)
    if expression.type != kind:
        raise Untranslatable(f"{text} is a {expression.type} here and a {kind} in Spark")
    if expression.fails and not ansi:
        raise Untranslatable(f"{text} is null instead of an error where spark.sql.ansi.enabled is false")
    return expression


def _projected(selected: DataFrame) -> list[Any]:
    """What Spark has made of each column of a projection."""
    java: Any = getattr(selected, "_jdf", None)
    if java is None:
        raise Untranslatable("a Spark Connect client does not say how Spark understands an expression")
    columns = java.queryExecution().analyzed().projectList()
    each = map(columns.apply, range(columns.size()))
    return [one.child() if one.getClass().getSimpleName() == "Alias" else one for one in each]


def _plain(text: str) -> str:
    """The text as translate() reads it.

    >>> _plain("(value > CAST(0.5BD AS DOUBLE))"), _plain("between(x, 1, 'between(1BD')")
    ('(value > CAST(0.5 AS DOUBLE))', "is_between(x, 1, 'between(1BD')")
    """

    def replaced(part: re.Match[str]) -> str:
        if part["between"]:
            return "is_between"
        return part["number"] or part[0]

    return _PARTS.sub(replaced, text)
