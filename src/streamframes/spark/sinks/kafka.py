"""Kafka: each row becomes a message under its key, with every digit; a topic holds what happened, not what is.

key      the id as text, or a JSON list where several columns are the key
value    {"frame_id":"-123","frame_start":"2026-01-05T10:00:20.123456Z", ...}; null for a row that was retracted
headers  fragment, final; version of an early frame: what tells which of two messages of a key is newer

Rows aside are sent to a topic beside, under their digest: {"batch":7,"reason":"...","part":1,"parts":1,"row":"..."}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import SinkError
from streamframes.sinks.changes import Changes
from streamframes.sinks.refusals import refusal
from streamframes.spark.columns import column
from streamframes.spark.failures import reason
from streamframes.spark.sinks.batch import SparkBatch
from streamframes.spark.sinks.refused import Refusal, aside, reasons, without_key
from streamframes.spark.sinks.row_json import NULLS_TOO, row_json

_HEADERS = "array<struct<key:string,value:binary>>"
# What Kafka's writer takes, unless set otherwise; the rest of a message is smaller than this.
_LONGEST, _REST = 1_048_576, 512
# How much of a row an error shows, and how much of a message aside is not the row.
_SHOWN = 2_000


@dataclass(frozen=True)
class KafkaTopic:
    """A topic as a target of `upsert`; see `api.sink.Kafka`."""

    servers: str
    topic: str
    options: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def where(self) -> str:
        """The topic in words."""
        return f"topic {self.topic!r} of Kafka at {self.servers}"

    @property
    def aside_topic(self) -> str:
        """The topic beside, of rows that are no messages of this one."""
        return f"{self.topic}_aside"

    @property
    def longest(self) -> int:
        """How many bytes the key and the value of a message have at the most."""
        return int(self.options.get("kafka.max.request.size", _LONGEST)) - _REST

    def write(self, batch: SparkBatch) -> None:
        """Send all rows of a batch; those of one key in the order of their changes. Repeated, it sends them again."""
        messages = self.messages(batch)
        writer = messages.write.format("kafka").option("kafka.bootstrap.servers", self.servers)
        try:
            writer.option("includeHeaders", "true").options(**self.options).save()
        except (PySparkException, Py4JError) as error:
            said = self._hidden(reason(error))
            # A refused row names the topic itself.
            is_ours = said.startswith(self.where)
            raise SinkError(said if is_ours else f"{self.where} cannot be written to: {said}") from None

    def messages(self, batch: SparkBatch) -> DataFrame:
        """Topics, keys, values and headers as Spark's sink takes them."""
        rows, changes = batch.rows, batch.changes
        if changes.rows is not None:
            rows = rows.filter(column(changes.key[0]).isNotNull() | column(changes.rows).isNotNull())
        if changes.order:
            rows = rows.repartition(*map(column, changes.key))
            rows = rows.sortWithinPartitions(*map(column, (*changes.key, *changes.order)))
        row = value = row_json(rows.schema, changes.key)
        if changes.retracted is not None:
            value = F.when(~F.coalesce(column(changes.retracted), F.lit(False)), row)
        key = _key(changes)
        too_long = F.octet_length(key) + F.coalesce(F.octet_length(value), F.lit(0)) > self.longest
        said = f"is longer than the {self.longest:,} bytes of a message"
        refusals = [
            *without_key(changes.key),
            Refusal("the row", too_long, said, "shorten it, or set options={'kafka.max.request.size': ...}"),
        ]
        why = reasons(refusals)
        if batch.bad == "fail":
            key = F.when(why.isNull(), key).otherwise(self._stop(refusals, changes.key, row))
            return rows.select(*_message(F.lit(self.topic), key, value, _headers(changes)))
        own = F.array(F.struct(*_message(F.lit(self.topic), key, value, _headers(changes))))
        beside = self._aside(rows.schema, batch, why)
        return rows.select(F.inline(F.when(why.isNull(), own).otherwise(beside)))

    def _stop(self, refusals: Sequence[Refusal], key: Sequence[str], row: Column) -> Column:
        """An error with the first of the reasons."""
        named = F.concat_ws(", ", *(F.concat(F.lit(f"{name}="), _text_or_none(name)) for name in key))
        marks = ("{named}", "{row}")
        fault: Column | None = None
        for each in refusals:
            error = str(refusal(self.where, marks[0], f"{each.what} {each.reason}", each.remedy, 0, marks[1]))
            before, after = error.split(marks[0])
            text = F.concat(F.lit(before), named, F.lit(after.removesuffix(marks[1])), F.left(row, F.lit(_SHOWN)))
            raised = F.raise_error(text).cast("string")
            fault = F.when(each.rows, raised) if fault is None else fault.when(each.rows, raised)
        return F.lit(None).cast("string") if fault is None else fault

    def _aside(self, schema: T.StructType, batch: SparkBatch, why: Column) -> Column:
        """Messages of the topic beside; a row that is longer than one of them comes in parts."""
        digest, number, said, row = aside(schema, batch.changes.key, batch.number, why)
        # A character has up to four bytes.
        size = max(1, (self.longest - _SHOWN) // 4)
        parts = F.ceil(F.char_length(row) / size).cast("int")

        def message(part: Column) -> Column:
            cut = F.substring(row, (part - 1) * size + 1, F.lit(size)).alias("row")
            value = F.to_json(F.struct(number, said, part.alias("part"), parts.alias("parts"), cut), NULLS_TOO)
            return F.struct(*_message(F.lit(self.aside_topic), digest, value, F.lit(None).cast(_HEADERS)))

        return F.transform(F.sequence(F.lit(1), parts), message)

    def _hidden(self, text: str) -> str:
        """A reason without the options, among which passwords are."""
        for each in filter(None, self.options.values()):
            text = text.replace(each, "***")
        return text


def _message(topic: Column, key: Column, value: Column, headers: Column) -> list[Column]:
    return [topic.alias("topic"), key.alias("key"), value.alias("value"), headers.alias("headers")]


def _key(changes: Changes) -> Column:
    """The key as text."""
    texts = [column(name).cast("string") for name in changes.key]
    return texts[0] if len(texts) == 1 else F.to_json(F.array(*texts))


def _text_or_none(name: str) -> Column:
    return F.coalesce(column(name).cast("string"), F.lit("None"))


def _headers(changes: Changes) -> Column:
    """The columns that tell which of two rows is newer, as texts."""
    if not changes.order:
        return F.lit(None).cast(_HEADERS)
    prefix = changes.key[0].removesuffix("id")
    pairs = [
        F.struct(
            F.lit(name.removeprefix(prefix)).alias("key"), column(name).cast("string").cast("binary").alias("value")
        )
        for name in changes.order
    ]
    return F.array(*pairs).cast(_HEADERS)
