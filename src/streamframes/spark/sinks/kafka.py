"""Kafka: each row becomes a message under its key, with every digit; a topic holds what happened, not what is.

key      the id as text, or a JSON list where several columns are the key
value    {"frame_id":"-123","frame_start":"2026-01-05T10:00:20.123456Z", ...}; null for a row that was retracted
headers  fragment, final; version of an early frame: what tells which of two messages of a key is newer
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.changes import Changes
from streamframes.spark.columns import column
from streamframes.spark.failures import reason
from streamframes.spark.sinks.batch import SparkBatch

_JSON = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timeZone": "UTC",
    "ignoreNullFields": "false",
}


@dataclass(frozen=True)
class KafkaTopic:
    """A topic as a target of `upsert`; see `api.sink.Kafka`."""

    servers: str
    topic: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    def write(self, batch: SparkBatch) -> None:
        """Send all rows of a batch; those of one key in the order of their changes. Repeated, it sends them again."""
        messages = self.messages(batch)
        writer = messages.write.format("kafka").option("kafka.bootstrap.servers", self.servers)
        writer = writer.option("topic", self.topic).option("includeHeaders", "true")
        try:
            writer.options(**self.options).save()
        except (PySparkException, Py4JError) as error:
            raise SinkError(
                f"topic {self.topic!r} of Kafka at {self.servers} cannot be written to: {self._hidden(reason(error))}"
            ) from None

    def messages(self, batch: SparkBatch) -> DataFrame:
        """Keys, values and headers as Spark's sink takes them."""
        rows, changes = batch.rows, batch.changes
        if batch.bad == "aside":
            raise InvalidArgument(
                "upsert() got bad='aside', but a topic holds every row that has a key; say bad='fail'"
            )
        if changes.rows is not None:
            rows = rows.filter(column(changes.key[0]).isNotNull() | column(changes.rows).isNotNull())
        if changes.order:
            rows = rows.repartition(*map(column, changes.key))
            rows = rows.sortWithinPartitions(*map(column, (*changes.key, *changes.order)))
        value = _value(rows, changes)
        if changes.retracted is not None:
            value = F.when(~F.coalesce(column(changes.retracted), F.lit(False)), value)
        return rows.select(self._key(changes).alias("key"), value.alias("value"), _headers(changes).alias("headers"))

    def _key(self, changes: Changes) -> Column:
        """The key as text; a row without one fails the batch."""
        texts = [column(name).cast("string") for name in changes.key]
        whole = texts[0] if len(texts) == 1 else F.to_json(F.array(*texts))
        missing = F.lit(False)
        for name in changes.key:
            missing = missing | column(name).isNull()
        said = f"a row for topic {self.topic!r} has no {', '.join(changes.key)}; filter such rows out"
        return F.when(missing, F.raise_error(F.lit(said)).cast("string")).otherwise(whole)

    def _hidden(self, text: str) -> str:
        """A reason without the options, among which passwords are."""
        for each in filter(None, self.options.values()):
            text = text.replace(each, "***")
        return text


def _value(rows: DataFrame, changes: Changes) -> Column:
    """All columns as JSON that loses no digit: keys and decimals are texts."""
    columns = []
    for each in rows.schema:
        is_text = each.name in changes.key or isinstance(each.dataType, T.DecimalType)
        whole = column(each.name).cast("string") if is_text else column(each.name)
        columns.append(whole.alias(each.name))
    return F.to_json(F.struct(*columns), _JSON)


def _headers(changes: Changes) -> Column:
    """The columns that tell which of two rows is newer, as texts."""
    if not changes.order:
        return F.lit(None).cast("array<struct<key:string,value:binary>>")
    prefix = changes.key[0].removesuffix("id")
    pairs = [
        F.struct(
            F.lit(name.removeprefix(prefix)).alias("key"), column(name).cast("string").cast("binary").alias("value")
        )
        for name in changes.order
    ]
    return F.array(*pairs)
