"""Offsets: whether the instants of a text file all say how far they are from UTC, or none of them does.

Spark reads a column that mixes both as if those without an offset were in the session's zone, and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.columns import column

# A day, or a day and a time, and nothing after it; as Spark reads them, parts may be missing at the end.
_LOCAL = r"^\s*[+-]?\d+(-\d{1,2}){0,2}([T ]\s*(\d{1,2}(:\d{1,2}(:\d{1,2}(\.\d*)?)?)?)?)?\s*$"


def mixed_offsets(rows: DataFrame, read: Callable[[T.StructType], DataFrame]) -> str | None:
    """The first column that mixes instants with and without an offset, in words; None if there is none.

    `read` reads the files again, with the columns that are given it: instants are looked at as text.
    """
    names = [field.name for field in rows.schema if isinstance(field.dataType, T.TimestampType)]
    if not names:
        return None
    kinds = [T.StructField(each.name, T.StringType() if each.name in names else each.dataType) for each in rows.schema]
    examples = []
    for name in names:
        text = column(name)
        found = F.struct(text, F.col("_metadata.file_name"))
        local = text.rlike(_LOCAL)
        examples += [F.min(F.when(local, found)), F.min(F.when(~local, found))]
    first = read(T.StructType(kinds)).select(*examples).head() or ()
    for name, local, offset in zip(names, first[::2], first[1::2], strict=True):
        if local is not None and offset is not None:
            return (
                f"column {name!r} has instants with an offset, like {offset[0]!r} in {offset[1]}, and without, like "
                f"{local[0]!r} in {local[1]}"
            )
    return None
