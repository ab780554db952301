"""The reader: row groups as record batches, in the types that Spark would carry.

A string column that repeats its values is stored as a dictionary and indices. Keys are cheapest read so: such
columns stay encoded where that is wanted and the writer kept to the dictionary. PyArrow reads all columns but the plain
ones of local files, which Polars reads faster.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs

from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.dataset import Dataset
from streamframes.core.files.parquet.footers import checked_metadata, naming, opened
from streamframes.core.files.parquet.listing import File
from streamframes.core.files.parquet.plain_columns import PlainColumns
from streamframes.core.files.parquet.types import ENCODED, as_carried, spans
from streamframes.errors import InvalidArgument, StreamFramesError

LIMIT = 1 << 23
"""How many rows a batch has at the most."""
WIDEST = 1 << 28
"""How many stored bytes of one leaf a batch has at the most, or so."""
_DICTIONARY_COST = 4.5
"""Bytes a value: a plain page takes four for the length alone, so what is below has kept to its dictionary."""


@dataclass
class _Open:
    """The file that is open, the columns to read of it with their names in it, and which leaves are dictionaries."""

    number: int
    stored: dict[str, str]
    dictionaries: tuple[int, ...]
    parquet: pq.ParquetFile
    leaves: dict[str, range]
    plain: PlainColumns | None


class RowGroupReader:
    """Reads columns of a dataset, one row group at a time; one file is open at a time.

    Parameters
    ----------
    dataset
        The files; the copy that a worker got is enough.
    names
        The columns to read, in the order of the batches.
    encoded
        Those which may come as `dictionary<int32, string>` or as views where that is cheaper. Only strings ever do.
    """

    def __init__(self, dataset: Dataset, names: Sequence[str], encoded: Sequence[str] = ()) -> None:
        for name in (*names, *encoded):
            if name not in dataset.schema.names:
                known = ", ".join(dataset.schema.names)
                raise InvalidArgument(f"scan() got the column {name!r}, which is not there; the columns are {known}")
        self._dataset = dataset
        self._names = list(names)
        self._kinds = {name: dataset.schema.field(name).type for name in names}
        self._encoded = {name for name in encoded if self._kinds.get(name) == pa.string()}
        self._open: _Open | None = None

    def read(self, file: int, number: int) -> pa.RecordBatch:
        """A whole row group as one batch."""
        with self._naming(file):
            current = self._for(file, number)
            return self._batch(current, self._table(current, range(number, number + 1)), _start(current, number))

    def _table(self, current: _Open, numbers: range) -> pa.Table:
        """Whole row groups: the columns that Polars reads stand behind those that PyArrow reads."""
        stored = current.stored.values()
        unencoded = [name for name in stored if current.leaves[name].start not in current.dictionaries]
        plain = current.plain.read(numbers, unencoded) if current.plain is not None else None
        names = set(plain.column_names if plain is not None else ())
        leaves = [leaf for name in stored if name not in names for leaf in current.leaves[name]]
        table = current.parquet.reader.read_row_groups(list(numbers), leaves, use_threads=False)
        if plain is not None:
            for name, column in zip(plain.column_names, plain.columns, strict=True):
                table = table.append_column(name, column)
        return table

    def batches(self, file: int, number: int, limit: int = LIMIT, count: int = 1) -> Iterator[pa.RecordBatch]:
        """A row group, or `count` from there on, as one batch; as several if of more than `limit` rows or very wide."""
        with self._naming(file):
            current = self._for(file, number)
            numbers = range(number, number + count)
            groups = [current.parquet.metadata.row_group(each) for each in numbers]
            rows, leaves = sum(group.num_rows for group in groups), self._leaves(current)
            sizes = (sum(group.column(leaf).total_uncompressed_size for group in groups) for leaf in leaves)
            widest = max(sizes, default=0)
            step = min(limit, _step(rows, widest))
            if rows <= step:
                pieces = iter([self._table(current, numbers)])
            else:
                pieces = current.parquet.reader.iter_batches(step, list(numbers), leaves, use_threads=False)
        start = _start(current, number)
        while True:
            with self._naming(file):
                piece = next(pieces, None)
                if piece is None:
                    return
                narrow = []
                for part in _split(piece):
                    narrow.append(self._batch(current, part, start))
                    start += part.num_rows
            yield from narrow

    def _naming(self, number: int) -> AbstractContextManager[None]:
        """Whatever goes wrong names the file."""
        return naming(f"scan() cannot read {self._dataset.files[number].path!r}")

    def _for(self, file: int, number: int) -> _Open:
        """The file, open in the way that this row group is cheapest to read."""
        if self._open is None or self._open.number != file:
            # Most often what was cheapest in the file before.
            self._open = self._opened(file, None, self._open.dictionaries if self._open else ())
        groups = self._open.parquet.metadata.num_row_groups
        if number >= groups:
            path = self._dataset.files[file].path
            raise StreamFramesError(f"scan() cannot read row group {number} of {path!r}: it has {groups}")
        dictionaries = self._dictionaries(self._open, number)
        if dictionaries != self._open.dictionaries:
            self._open = self._opened(file, self._open.parquet.metadata, dictionaries)
        return self._open

    def _opened(self, number: int, metadata: pq.FileMetaData | None, dictionaries: tuple[int, ...]) -> _Open:
        file, filesystem = self._dataset.files[number], self._dataset.filesystem
        source = opened(filesystem, file)
        _check_size(file, source.size())
        local = isinstance(filesystem, fs.LocalFileSystem)
        parquet = pq.ParquetFile(
            source,
            metadata=metadata or checked_metadata(source),
            read_dictionary=list(dictionaries),
            pre_buffer=not local,
            coerce_int96_timestamp_unit="us",
        )
        schema = parquet.schema_arrow
        plain = PlainColumns(file.path, file.size, parquet.metadata, schema) if local else None
        constant, renamed = dict(file.partition), dict(file.stored)
        stored = {name: renamed.get(name, name) for name in self._kinds if name not in constant}
        return _Open(number, stored, dictionaries, parquet, dict(zip(schema.names, spans(schema), strict=True)), plain)

    def _dictionaries(self, current: _Open, number: int) -> tuple[int, ...]:
        group = current.parquet.metadata.row_group(number)
        leaves = [current.leaves[stored].start for name, stored in current.stored.items() if name in self._encoded]
        return tuple(leaf for leaf in leaves if _is_dictionary(group.column(leaf), group.num_rows))

    def _leaves(self, current: _Open) -> list[int]:
        """The leaves to read, by number: pyarrow takes a name with dots for a path."""
        return [leaf for name in current.stored.values() for leaf in current.leaves[name]]

    def _batch(self, current: _Open, read: pa.Table | pa.RecordBatch, start: int) -> pa.RecordBatch:
        """Rows in the types that Spark would carry; the first of them has the number `start` in its file."""
        file, rows = self._dataset.files[current.number], read.num_rows
        if file.deleted:
            kept = _kept(file, range(start, start + rows))
            rows, read = kept.true_count, read.filter(kept) if read.num_columns else read
        partition = dict(file.partition)
        arrays = []
        for name in self._names:
            kind, encoded = self._kinds[name], name in self._encoded
            if name in partition:
                arrays.append(_constant(partition[name], kind, rows, encoded=encoded))
            else:
                arrays.append(_carried(read.column(current.stored[name]), kind, encoded=encoded))
        if not arrays:
            return pa.RecordBatch.from_struct_array(pa.nulls(rows, pa.struct([])))
        return pa.RecordBatch.from_arrays(arrays, names=self._names)


def _start(current: _Open, number: int) -> int:
    """How many rows of the file stand before a row group."""
    return sum(current.parquet.metadata.row_group(each).num_rows for each in range(number))


def _kept(file: File, rows: range) -> pa.Array:
    """Which of the rows with these numbers are not deleted."""
    kept = np.ones(len(rows), np.bool_)
    deleted = np.frombuffer(file.deleted, np.int64)
    kept[deleted[np.searchsorted(deleted, rows.start) : np.searchsorted(deleted, rows.stop)] - rows.start] = False
    return pa.array(kept)


def _check_size(file: File, size: int) -> None:
    if size != file.size:
        raise StreamFramesError(
            f"scan() cannot read {file.path!r}: it had {file.size} bytes when it was listed and has {size} now"
        )


def _step(rows: int, widest: int) -> int:
    """How many of these rows a batch may have, if its widest column has so many bytes."""
    return max(1, rows * WIDEST // max(widest, WIDEST))


def _split(piece: pa.Table | pa.RecordBatch) -> Iterator[pa.Table | pa.RecordBatch]:
    """Rows that stand in few bytes in the file may be wide: those that are too wide come in parts."""
    step = _step(piece.num_rows, max((column.nbytes for column in piece.columns), default=0))
    for start in range(0, piece.num_rows, step):
        yield piece.slice(start, step)


def _is_dictionary(column: pq.ColumnChunkMetaData, rows: int) -> bool:
    """Whether a writer kept to the dictionary; where it fell back to plain pages, decoding at once is cheaper."""
    encoded = any(encoding.endswith("_DICTIONARY") for encoding in column.encodings)
    return encoded and column.total_uncompressed_size <= _DICTIONARY_COST * rows


def _carried(column: pa.Array | pa.ChunkedArray, kind: pa.DataType, *, encoded: bool) -> pa.Array:
    if encoded and pa.types.is_string_view(column.type):
        kind = column.type
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    if encoded and pa.types.is_dictionary(column.type):
        kind = ENCODED
        _check_indices(chunks)
    arrays = [as_carried(chunk, kind) for chunk in chunks]
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays or [pa.array([], kind)])


def _check_indices(arrays: Sequence[pa.DictionaryArray]) -> None:
    """PyArrow takes the indices of a damaged page as they are."""
    for array in arrays:
        used = pc.min_max(array.indices).as_py()
        if used["max"] is not None and not 0 <= used["min"] <= used["max"] < len(array.dictionary):
            raise pa.ArrowInvalid(f"a page has the index {used}, but its dictionary has {len(array.dictionary)} values")


def _constant(text: Any, kind: pa.DataType, rows: int, *, encoded: bool) -> pa.Array:
    if text is None:
        return pa.nulls(rows, ENCODED if encoded else kind)
    if encoded:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))
    return pa.repeat(hive.value(text, kind), rows)
