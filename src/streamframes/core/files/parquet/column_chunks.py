"""Column chunks: what a footer says of them, checked before PyArrow looks.

PyArrow ends the process where a column chunk has another physical type than its column, a codec that nobody knows,
statistics of a wrong length, or size statistics of a wrong number of levels. So the footer, a struct in the compact
protocol of Thrift, is walked once:

  file   .4 row groups   .1 column chunks   .3 metadata   .1 physical type   .4 codec
                                                          .12 statistics        .1 .2 .5 .6 lowest and highest value
                                                          .16 size statistics   .1 bytes   .2 .3 rows of each level
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow.parquet as pq

from streamframes.core.jit.compiled import compiled

TYPE, MAX, MIN, MAX_VALUE, MIN_VALUE, BYTES, REPEATED, DEFINED, COLUMN, CODEC = range(10)
"""What is noted of a column chunk: its physical type, lengths, its place in the row group, and its codec."""
FIELDS = 10
ABSENT = -1

_TYPES = ("BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
_CODECS = 8
_SIZES = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8}
DEEPEST = 12
_TRUE, _FALSE, _BYTE, _I16, _I64, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 4, 6, 7, 8, 9, 10, 12

# Where in the struct of a depth, below fields 4, 1 and 3, what is to be noted stands.
_OF_STATISTICS = np.full(16, ABSENT)
_OF_STATISTICS[[1, 2, 5, 6]] = MAX, MIN, MAX_VALUE, MIN_VALUE
_OF_SIZES = np.full(16, ABSENT)
_OF_SIZES[[1, 2, 3]] = BYTES, REPEATED, DEFINED


def check_column_chunks(footer: bytes, metadata: pq.FileMetaData) -> None:
    """Raise ValueError where PyArrow would not survive a look at a column chunk."""
    schema, columns = metadata.schema, metadata.num_columns
    table = np.full((metadata.num_row_groups * columns, FIELDS), ABSENT)
    if _walk(np.frombuffer(footer, np.uint8), _OF_STATISTICS, _OF_SIZES, table) != len(table):
        raise ValueError(f"its {metadata.num_row_groups} row groups have not {columns} columns each")
    for number in range(columns):
        leaf = schema.column(number)
        chunks = table[number::columns]
        if (chunks[:, COLUMN] != number).any() or (chunks[:, TYPE] != _TYPES.index(leaf.physical_type)).any():
            raise ValueError(f"column {leaf.path!r} is {leaf.physical_type}, and in a row group it is not")
        if ((chunks[:, CODEC] < 0) | (chunks[:, CODEC] >= _CODECS)).any():
            raise ValueError(f"column {leaf.path!r} is packed by a codec that is not known")
        _check_lengths(leaf, chunks)


def _check_lengths(leaf: pq.ColumnSchema, chunks: np.ndarray) -> None:
    size = _SIZES.get(leaf.physical_type)
    if size is not None and not np.isin(chunks[:, [MAX, MIN, MAX_VALUE, MIN_VALUE]], (ABSENT, 0, size)).all():
        raise ValueError(f"column {leaf.path!r} has statistics that are no {leaf.physical_type}")
    levels = ((REPEATED, leaf.max_repetition_level + 1), (DEFINED, leaf.max_definition_level + 1))
    is_wrong = any(not np.isin(chunks[:, at], (ABSENT, 0, wanted)).all() for at, wanted in levels)
    if is_wrong or (leaf.physical_type != "BYTE_ARRAY" and (chunks[:, BYTES] != ABSENT).any()):
        raise ValueError(f"column {leaf.path!r} has size statistics that are not those of its levels")


@compiled
def _walk(data: Any, of_statistics: Any, of_sizes: Any, table: Any) -> Any:
    """Fill the table, a row for each column chunk; returns how many there are, or -1."""
    field, left = np.zeros(DEEPEST, np.int64), np.ones(DEEPEST, np.int64)
    at, depth, chunk, column = 0, 0, -1, -1
    while 0 <= at < data.size:
        header, at = np.int64(data[at]), at + 1
        if header == 0:
            left[depth] -= 1
            if left[depth] == 0:
                if depth == 0:
                    return chunk + 1
                depth -= 1
                continue
            field[depth] = 0
        else:
            kind = header & 15
            if header >> 4:
                field[depth] += header >> 4
            else:
                at, field[depth] = signed_at(data, at)
            at, value, is_struct = value_at(data, at, kind)
            if at < 0:
                return -1
            if depth >= 3 and field[0] == 4 and field[1] == 1 and field[2] == 3 and 0 <= chunk < len(table):
                _note(table[chunk], field, depth, value, of_statistics, of_sizes)
            if not is_struct or value == 0:
                continue
            depth += 1
            if depth == DEEPEST:
                return -1
            field[depth], left[depth] = 0, value
            if depth == 2 and field[0] == 4 and field[1] == 1:
                column = -1
        if depth == 2 and field[0] == 4 and field[1] == 1:
            chunk, column = chunk + 1, column + 1
            if chunk < len(table):
                table[chunk, COLUMN] = column
    return -1


@compiled
def _note(row: Any, field: Any, depth: Any, value: Any, of_statistics: Any, of_sizes: Any) -> None:
    """Note a value of a column chunk's metadata, or of the statistics in it."""
    number = field[depth]
    if depth == 3 and (number == 1 or number == 4):
        row[TYPE if number == 1 else CODEC] = value
    elif depth == 4 and 0 <= number < of_sizes.size:
        place = of_statistics[number] if field[3] == 12 else of_sizes[number] if field[3] == 16 else ABSENT
        if place >= 0:
            row[place] = value


@compiled
def value_at(data: Any, at: Any, kind: Any) -> Any:
    """Where a value ends or its structs begin, or -1; the number, length or count; and whether structs follow."""
    if kind in (_TRUE, _FALSE):
        return at, np.int64(kind), False
    if kind == _STRUCT:
        return at, np.int64(1), True
    if kind in (_LIST, _SET):
        return _list(data, at)
    at, value = _plain(data, at, kind)
    return at, value, False


@compiled
def _list(data: Any, at: Any) -> Any:
    """Where a list ends, or -1, and how long it is; of structs, where the first begins."""
    if not 0 <= at < data.size:
        return -1, np.int64(0), False
    kind, size = np.int64(data[at]) & 15, np.int64(data[at]) >> 4
    at += 1
    if size == 15:
        at, size = _varint(data, at)
    if not 0 <= size <= data.size:
        return -1, np.int64(0), False
    if kind == _STRUCT:
        return at, size, True
    for _element in range(size):
        at, _ = _plain(data, at, _BYTE if kind in (_TRUE, _FALSE) else kind)
        if at < 0:
            break
    return at, size, False


@compiled
def _plain(data: Any, at: Any, kind: Any) -> Any:
    """Where a value that has no parts ends, or -1, and the number or the length."""
    if at < 0 or at > data.size:
        return -1, np.int64(0)
    if kind == _BYTE:
        return at + 1, np.int64(0)
    if kind == _DOUBLE:
        return at + 8, np.int64(0)
    if kind == _BINARY:
        at, size = _varint(data, at)
        return (at + size if 0 <= size <= data.size - at else -1), size
    if _I16 <= kind <= _I64:
        return signed_at(data, at)
    return -1, np.int64(0)


@compiled
def signed_at(data: Any, at: Any) -> Any:
    at, value = _varint(data, at)
    return at, (value >> 1) ^ -(value & 1)


@compiled
def _varint(data: Any, at: Any) -> Any:
    """Where a number of seven bits a byte ends, or -1, and the number."""
    value = np.int64(0)
    for i in range(min(10, data.size - at) if at >= 0 else 0):
        some = np.int64(data[at + i])
        value |= (some & 0x7F) << (7 * i)
        if some < 0x80:
            return at + i + 1, value
    return -1, np.int64(0)
