"""Rows as JSON that loses no digit: {"frame_id":"-123","frame_start":"2026-01-05T10:00:20.123456Z", ...}."""

from __future__ import annotations

from collections.abc import Collection

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.columns import column

NULLS_TOO = {"ignoreNullFields": "false"}
_OPTIONS = {
    "timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timeZone": "UTC",
    **NULLS_TOO,
}


def row_json(schema: T.StructType, key: Collection[str]) -> Column:
    """All columns as one JSON object: keys and decimals are texts."""
    columns = []
    for each in schema:
        is_text = each.name in key or isinstance(each.dataType, T.DecimalType)
        whole = column(each.name).cast("string") if is_text else column(each.name)
        columns.append(whole.alias(each.name))
    return F.to_json(F.struct(*columns), _OPTIONS)
