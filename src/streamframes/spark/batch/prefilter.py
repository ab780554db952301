"""The prefilter: rows that lie in no frame are left in the JVM, where they cost least.

  frames   [----]        [-----]         of a group
  cells    |x |x |x |  |x |x |x |x |     some for each frame, marked where there is one, in a map by their hash
  rows      . . . . . . . . . . . .      a row passes if its cell is marked; a few pass that need not

Both the length of a cell and the map are subqueries of the one query: Spark computes them first. Where frames cover
most of the time there is no cell, and every row passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.columns import column

# A byte for each cell; 16 MiB let one row in twenty pass in vain at 800 000 cells.
_BYTES = 1 << 24
# The shorter a cell, the fewer rows pass beside a frame.
_CELLS_PER_FRAME = 4
# Cells are made so long that there are not many more than this.
_CELLS = 1 << 22
# Where frames cover more of the time than this, a prefilter holds back too little to be worth it.
_DENSE = 0.5
_FARTHEST = 9e18
_MARKED = bytearray(b"\x01")

Batches = Iterator[pa.RecordBatch]


def prefiltered(frames: DataFrame, rows: DataFrame, by: Mapping[str, str], ts: str, prefix: str) -> DataFrame:
    """The rows without most of those that are in no frame of their group."""
    start, end = (_tick(frames, f"{prefix}{edge}") for edge in ("start", "end"))
    length = _length(frames.filter(start <= end), start, end, list(by)).scalar()
    reached = F.explode(F.sequence(_cell(start, length), _cell(end, length)))
    cells = frames.filter(start <= end).select(*map(column, by), reached.alias("__sf_cell"))
    hashed = cells.select(F.xxhash64(*map(column, by), column("__sf_cell")).alias("hash"))
    marks = hashed.coalesce(1).mapInArrow(_marks, "marks binary").scalar()
    own = F.xxhash64(*map(column, by.values()), _cell(_tick(rows, ts), length))
    place = (own.bitwiseAND(F.lit(_BYTES - 1)) + F.lit(1)).cast("int")
    return rows.filter(length.isNull() | (F.substring(marks, place, F.lit(1)) == F.lit(_MARKED)))


def _length(frames: DataFrame, start: Column, end: Column, groups: list[str]) -> DataFrame:
    """How long a cell is, as the only value; null where a prefilter is of no use."""
    covered = F.sum((end - start).cast("double"))
    n_groups = F.approx_count_distinct(F.xxhash64(*map(column, groups))) if groups else F.lit(1)
    time = (F.max(end) - F.min(start)).cast("double") * n_groups
    length = F.greatest(F.lit(1.0), covered / F.count(F.lit(1)) / F.lit(_CELLS_PER_FRAME), time / F.lit(float(_CELLS)))
    return frames.agg(F.when(covered < time * F.lit(_DENSE), length).alias("length"))


def _cell(tick: Column, length: Column) -> Column:
    """The cell of an instant. Rounding does no harm: later instants are never in an earlier cell."""
    return F.floor(tick / length)


def _tick(table: DataFrame, name: str) -> Column:
    """Instants as numbers that rise with them, whatever the session's zone."""
    kind, instant = table.schema[name].dataType, column(name)
    if isinstance(kind, T.TimestampType):
        ticks = F.unix_micros(instant)
    elif isinstance(kind, T.TimestampNTZType):
        earliest = F.lit("0001-01-01 00:00:00").cast("timestamp_ntz")
        ticks = F.timestamp_diff("MILLISECOND", earliest, instant)
    elif isinstance(kind, T.DateType):
        ticks = F.unix_date(instant)
    else:
        # The ends of the range of longs, as doubles, are not longs any more.
        ticks = F.greatest(F.least(instant.cast("double"), F.lit(_FARTHEST)), F.lit(-_FARTHEST))
        return F.when(instant.isNotNull(), ticks)
    return ticks.cast("double")


def _marks(batches: Batches) -> Batches:
    """The map of all cells."""
    marks = np.zeros(_BYTES, np.uint8)
    for batch in batches:
        marks[batch.column(0).to_numpy() & (_BYTES - 1)] = 1
    yield pa.RecordBatch.from_arrays([pa.array([marks.tobytes()], pa.binary())], names=["marks"])
