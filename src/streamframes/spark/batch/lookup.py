"""Lookup tables: tables that a plan needs as a whole, such as thresholds by group, are packed for every bucket."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from streamframes.core.operator.lookup import LOOKUP, lookup_layout
from streamframes.spark.batch.pack import PIECES, packing
from streamframes.spark.columns import column

# Before all chunks of rows, even those that start with the first long.
_FIRST = -(2**62)


def table_pieces(lookup: DataFrame, types: Sequence[pa.DataType], buckets: int) -> DataFrame:
    """The pieces of a lookup table, in front of all others."""
    pack = packing(lookup_layout(types), buckets, input_number=LOOKUP, to_all=True)
    pieces = lookup.select(*travelling(lookup, F.expr("-9223372036854775808L"))).mapInArrow(pack, PIECES)
    return pieces.withColumn("chunk", F.col("chunk") + F.lit(_FIRST))


def travelling(lookup: DataFrame, instant: Column) -> list[Column]:
    """The columns of a lookup table as they are packed, behind an instant that says nothing."""
    columns = [instant, *map(column, lookup.columns)]
    return [each.alias(f"__sf_{i}") for i, each in enumerate(columns)]
