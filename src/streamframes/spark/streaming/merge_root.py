"""A root that has its parts in all buckets: what each of them has received for it is merged in one place.

buckets ─┬─ what the root received ─ one place ──┬─ measures
         └─ measures of others ── many places ───┘
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from streamframes.core.operator import state_codec
from streamframes.core.sessions import merge
from streamframes.core.sessions.merge import MergedRoot
from streamframes.core.sessions.operator import SessionPlan
from streamframes.core.sessions.partials import READING, SCHEMA
from streamframes.spark.buckets import n_partitions
from streamframes.spark.columns import column
from streamframes.spark.streaming.events import instant_of
from streamframes.spark.worker.worker import lasting

Batches = Iterator[pa.RecordBatch]
_SCHEMA = "ticks long, name string, id long, measure string, value double"
# The place of the root; measures of others go to any other place.
_ROOT = 0


def merged(found: DataFrame, plan: SessionPlan, kind: T.DataType) -> DataFrame:
    """All measures: those of the root once an instant in a table, once an advance of the watermark in a stream."""
    places = n_partitions(found.sparkSession)
    place = F.when(F.col("code").isNotNull(), F.lit(_ROOT)).otherwise(F.lit(1) + F.pmod(F.col("id"), F.lit(places)))
    root = plan.classes[0].name, plan.lasting_id
    placed = found.withColumn("place", place.cast("int"))
    if found.isStreaming:
        readings = placed.groupBy("place").transformWithStateInPandas(RootProcessor(*root), _SCHEMA, "Append", "None")
    else:
        together = placed.repartition(places, "place").drop("place").sortWithinPartitions("ticks")
        readings = together.mapInArrow(_merging(*root), _SCHEMA)
    return readings.select(instant_of(F.col("ticks"), kind).alias(plan.ts), F.col("name").alias("class"), *READING[2:])


def _merging(name: str, number: int) -> Callable[[Batches], Batches]:
    return lambda batches: lasting(merge.merged(MergedRoot(name, number), batches))


def with_one_root(
    found: DataFrame, readings: DataFrame | None, prefix: str, ts: str, by: Sequence[str], measures: Sequence[str]
) -> DataFrame:
    """Open sessions with one row for the root, from those of its places; its measures are the last of its readings."""
    own = {f"{prefix}{name}": reduced for name, reduced in (("start", F.min), ("end", F.max), ("rows", F.sum))}
    is_root = F.col(f"{prefix}level") == 0
    reduced = [
        (own[name](name) if name in own else F.first(name, ignorenulls=True)).alias(name) for name in found.columns
    ]
    groups = [F.lit(None).cast(found.schema[name].dataType).alias(name) for name in by]
    root = found.filter(is_root).groupBy().agg(*reduced[len(by) :]).filter(F.col(f"{prefix}id").isNotNull())
    root = root.select(*groups, *found.columns[len(by) :])
    if readings is not None:
        last = [
            F.max_by(
                F.when(F.col("measure") == name, F.col("value")), F.when(F.col("measure") == name, column(ts))
            ).alias(f"__sf_{name}")
            for name in measures
        ]
        values = {name: F.col(f"__sf_{name}").cast(found.schema[name].dataType).alias(name) for name in measures}
        both = root.crossJoin(readings.groupBy().agg(*last))
        root = both.select(*(values.get(name, column(name)) for name in found.columns))
    return found.filter(~is_root).unionByName(root)


class RootProcessor(StatefulProcessor):
    """Keeps the root of a stream; the names of its methods are Spark's."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Spark's beginning of a task."""
        self.record = handle.getValueState("root", "data binary")

    def handleInputRows(self, key: Any, rows: Iterator[Any], timerValues: Any) -> Iterator[pd.DataFrame]:
        """The buckets have received something."""
        if key[0] != _ROOT:
            for frame in rows:
                yield frame[list(READING)]
            return
        root = MergedRoot(self.name, self.number)
        found = self.record.get()
        if found is not None:
            root.restore(state_codec.decode(bytes(found[0])))
        frames = pd.concat([frame[SCHEMA.names] for frame in rows])
        batch = pa.RecordBatch.from_pandas(frames, schema=SCHEMA, preserve_index=False)
        root.take(batch)
        for readings in root.merge(each=False):
            yield readings.to_pandas()
        self.record.update((state_codec.encode(root.snapshot()),))

    def close(self) -> None:
        """Spark's end of a task."""
