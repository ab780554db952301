"""Upsert: the function that `foreachBatch` calls with each micro-batch, and anyone with a table."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from streamframes.errors import InvalidArgument
from streamframes.sinks.changes import changes_of
from streamframes.sinks.protocol import Target
from streamframes.spark.columns import require_dataframe
from streamframes.spark.sinks.batch import SparkBatch, schema_of


@dataclass(frozen=True)
class Upsert:
    """Brings a target up to date with each batch; see `api.sink.upsert`."""

    target: Target[SparkBatch]
    key: tuple[str, ...]
    order: tuple[str, ...] | None
    bad: str
    retracted: str

    def __call__(self, batch: DataFrame, batch_id: int | None = None) -> None:
        """Write a micro-batch, or a table."""
        rows = require_dataframe(batch, "upsert", "a batch")
        if rows.isStreaming:
            raise InvalidArgument("upsert() got a stream; write .writeStream.foreachBatch(sf.sink.upsert(...)).start()")
        schema = schema_of(rows)
        changes = changes_of(schema.names, self.key, self.order, self.retracted)
        self.target.write(SparkBatch(rows, schema, changes, batch_id, self.bad))
