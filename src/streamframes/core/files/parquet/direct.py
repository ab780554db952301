"""Direct reading: which columns of a file are read page by page, without PyArrow, and where their bytes lie.

  numbers packed by Snappy    PyArrow unpacks a page, then copies it; most of its time on instants are waits in Snappy
  plain texts                 PyArrow appends one text after the other
  dictionaries of one value   there is nothing to read

Everything else is left to PyArrow: other dictionaries and encodings, nulls, files that are not local.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from streamframes.core.files.parquet.pages import CODECS, Stored
from streamframes.core.files.parquet.statistics import meaning_of
from streamframes.core.files.parquet.types import carried
from streamframes.core.files.parquet.values import read_constant, read_numbers, read_texts

LEAST_ROWS = 1 << 14
"""Row groups of fewer rows are read by PyArrow: a call takes some time by itself."""
_PLAIN_BYTES = 6
"""Bytes a row: numbers that stand in a dictionary take fewer, and are read as quickly by PyArrow."""
_FEW_BYTES = 0.1
"""Bytes a row: a column that takes more has more than one value in its dictionary."""
_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_ENCODINGS = {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}


class DirectReader:
    """Reads columns of one local file."""

    def __init__(self, source: Any, metadata: pq.FileMetaData, schema: pa.Schema) -> None:
        self._source = source
        self._metadata = metadata
        self._schema = schema

    def read(self, number: int, name: str, leaf: int) -> pa.Array | None:
        """A column of a row group in a type that can be carried, or None where PyArrow is to read it."""
        group = self._metadata.row_group(number)
        column = group.column(leaf)
        if group.num_rows < LEAST_ROWS or not self._may_be_read(column, leaf):
            return None
        kind = self._schema.field(name).type
        if column.physical_type == "BYTE_ARRAY":
            text = carried(kind)
            return read_texts(self._stored(column, leaf), text) if text in (pa.string(), pa.binary()) else None
        if self._is_number(kind, leaf) and _pays(column, group.num_rows):
            return read_numbers(self._stored(column, leaf), kind)
        return None

    def one_value(self, number: int, leaf: int) -> pa.Array | None:
        """The text of all rows of a row group, encoded, if the dictionary of a column has no other; else None."""
        column = self._metadata.row_group(number).column(leaf)
        statistics = column.statistics
        if statistics is None or not statistics.has_null_count or not self._may_be_read(column, leaf):
            return None
        if column.num_values < LEAST_ROWS or column.total_compressed_size > max(_FEW_BYTES * column.num_values, 1024):
            return None
        word = read_constant(self._stored(column, leaf))
        if word is None:
            return None
        # Fresh memory is zero, and costs nothing until somebody looks.
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(column.num_values, np.int32)), word, safe=False)

    def _may_be_read(self, column: pq.ColumnChunkMetaData, leaf: int) -> bool:
        schema, statistics = self._metadata.schema.column(leaf), column.statistics
        flat = schema.max_repetition_level == 0 and schema.max_definition_level <= 1
        nulls = statistics is not None and statistics.has_null_count and statistics.null_count
        return flat and not nulls and column.compression in CODECS and _ENCODINGS.issuperset(column.encodings)

    def _is_number(self, kind: pa.DataType, leaf: int) -> bool:
        """Whether the stored words are the values."""
        if self._metadata.schema.column(leaf).physical_type not in ("INT64", "DOUBLE"):
            return False
        if pa.types.is_timestamp(kind):
            meaning = meaning_of(self._metadata.schema, leaf)
            return bool(meaning["Type"] == "Timestamp" and _UNITS.get(meaning["timeUnit"]) == kind.unit)
        return kind in (pa.int64(), pa.float64())

    def _stored(self, column: pq.ColumnChunkMetaData, leaf: int) -> Stored:
        begin, dictionary = column.data_page_offset, column.dictionary_page_offset
        if column.has_dictionary_page and dictionary is not None and 0 < dictionary < begin:
            begin = dictionary
        data = np.frombuffer(self._source.read_at(column.total_compressed_size, begin), np.uint8)
        optional = self._metadata.schema.column(leaf).max_definition_level > 0
        return Stored(data, column.compression, column.num_values, optional)


def _pays(column: pq.ColumnChunkMetaData, rows: int) -> bool:
    return bool(column.compression == "SNAPPY" and column.total_uncompressed_size >= _PLAIN_BYTES * rows)
