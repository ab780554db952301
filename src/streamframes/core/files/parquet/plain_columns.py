"""Plain columns of local files, read by Polars: numbers, instants and texts that are not nested.

PyArrow unpacks a page and then copies it, and appends one text after the other; Polars takes two thirds of the time for
instants and half for texts (`python -m benchmarks.costs`). A call of Polars takes 0.3 ms by itself, so that small row
groups are left to PyArrow. So is whatever Polars refuses, and every column with nulls, because Polars looks less
closely at which values are there: what is read is what PyArrow reads, or PyArrow's error.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from streamframes.core.files.parquet.page_headers import are_plain_pages
from streamframes.core.files.parquet.row_groups import meaning_of
from streamframes.core.files.parquet.types import spans

LEAST_ROWS = 1 << 17
"""Fewer rows are read by PyArrow."""
_CODECS = {"UNCOMPRESSED", "SNAPPY", "ZSTD"}
_UNITS = {"milliseconds": "ms", "microseconds": "us", "nanoseconds": "ns"}
_NUMBERS = {pa.int32(): "INT32", pa.int64(): "INT64", pa.float32(): "FLOAT", pa.float64(): "DOUBLE"}
_TEXTS = {pa.string(): "STRING", pa.large_string(): "STRING", pa.binary(): "NONE", pa.large_binary(): "NONE"}
_OF_VIEW = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}


class PlainColumns:
    """The columns of one local file that Polars reads as PyArrow does.

    Parameters
    ----------
    path, size
        The file, and how many bytes it has.
    metadata
        Its footer.
    schema
        Its columns as PyArrow reads them.
    """

    def __init__(self, path: str, size: int, metadata: pq.FileMetaData, schema: pa.Schema) -> None:
        self._path = path
        self._size = size
        self._metadata = metadata
        self._types: dict[str, pa.DataType] = {}
        self._leaves: dict[str, int] = {}
        for field, leaves in zip(schema, spans(schema), strict=True):
            if _is_plain(metadata.schema, field.type, leaves):
                self._types[field.name], self._leaves[field.name] = field.type, leaves.start
        sizes = (metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))
        self._starts = [0, *accumulate(sizes)]

    def read(self, numbers: range, names: Sequence[str]) -> pa.Table | None:
        """Those of the columns that are plain, of row groups that follow each other; None where PyArrow reads all."""
        start, rows = self._starts[numbers.start], self._starts[numbers.stop] - self._starts[numbers.start]
        if rows < LEAST_ROWS:
            return None
        groups = [self._metadata.row_group(number) for number in numbers]
        plain = [name for name in names if name in self._types and all(self._is_whole(name, each) for each in groups)]
        if not plain:
            return None
        table = _read(self._path, plain, start, rows)
        if (
            table is not None
            and table.num_rows == rows
            and all(self._is_right(name, table.column(name)) for name in plain)
        ):
            return table
        self._types.clear()
        return None

    def _is_whole(self, name: str, group: pq.RowGroupMetaData) -> bool:
        """Whether a column has all its values, and Polars notices as much damage as PyArrow: not of every codec."""
        column = group.column(self._leaves[name])
        start, statistics = column.data_page_offset, column.statistics
        if column.has_dictionary_page and column.dictionary_page_offset is not None:
            start = min(start, column.dictionary_page_offset)
        is_inside = start >= 0 <= column.total_compressed_size <= self._size - start
        is_complete = statistics is not None and statistics.has_null_count and statistics.null_count == 0
        if not self._metadata.schema.column(self._leaves[name]).max_definition_level:
            is_complete = True
        if not (is_inside and is_complete and column.compression in _CODECS):
            return False
        pages = self._bytes[start : start + column.total_compressed_size]
        return are_plain_pages(pages, column.num_values)

    @cached_property
    def _bytes(self) -> np.ndarray:
        """The file, of which pages of memory are read where somebody looks."""
        return np.memmap(self._path, np.uint8, "r")

    def _is_right(self, name: str, column: pa.ChunkedArray) -> bool:
        """Whether a column that was read has its type, and all its values."""
        wanted, kind = self._types[name], _OF_VIEW.get(column.type, column.type)
        return not column.null_count and (kind == wanted or (kind in _TEXTS and _TEXTS.get(wanted) == _TEXTS[kind]))


def _read(path: str, names: Sequence[str], start: int, rows: int) -> pa.Table | None:
    """Some rows of a file; None if Polars refuses it, or is not installed."""
    # Not loaded before a worker is forked: Polars has threads, and takes 0.1 s.
    try:
        import polars as pl
    except ImportError:
        return None

    try:
        scan = pl.scan_parquet(path, parallel="none", use_statistics=False, glob=False, hive_partitioning=False)
        rows_read = scan.slice(start, rows).select(names).collect()
        return rows_read.to_arrow(compat_level=pl.CompatLevel.newest())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, pa.ArrowException, OSError, ValueError):
        return None


def _is_plain(schema: pq.ParquetSchema, kind: pa.DataType, leaves: range) -> bool:
    """Whether stored values are the values, whoever reads them: one leaf whose logical type says what its type does."""
    if len(leaves) != 1:
        return False
    leaf = schema.column(leaves.start)
    if leaf.max_repetition_level or leaf.max_definition_level > 1:
        return False
    meaning = meaning_of(schema, leaves.start)
    if pa.types.is_timestamp(kind):
        stored = meaning["Type"] == "Timestamp" and _UNITS.get(meaning["timeUnit"]) == kind.unit
        return bool(stored and leaf.physical_type == "INT64")
    if kind in _TEXTS:
        return bool(leaf.physical_type == "BYTE_ARRAY" and leaf.logical_type.type == _TEXTS[kind])
    if kind == pa.date32():
        return bool(meaning["Type"] == "Date")
    is_signed = meaning["Type"] == "None" or (meaning["Type"] == "Int" and meaning["isSigned"])
    return bool(is_signed and _NUMBERS.get(kind) == leaf.physical_type)
