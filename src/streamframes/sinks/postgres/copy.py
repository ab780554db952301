"""COPY: rows of Arrow in the binary form that Postgres reads, made without touching a single value in Python.

  row    | fields | length | payload | length | payload | ...      all big-endian; the length of a null is -1
  array  | dimensions | 0 | type | size | 1 | length | payload | ...

Lengths and payloads of a column are scattered to where they belong in all rows of a block at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.sinks.postgres.types import ELEMENT, postgres_type
from streamframes.sinks.texts import texts, to_json

BEGINNING = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"
# Instants and days count from 2000.
_EPOCH_US, _EPOCH_DAYS = 946_684_800_000_000, 10_957
# Some megabytes, which caches hold.
_BLOCK = 16_384

_NUMBERS = {pa.bool_(): ">i1", pa.int8(): ">i2", pa.int16(): ">i2", pa.int32(): ">i4", pa.int64(): ">i8"}
_NUMBERS |= {pa.float32(): ">f4", pa.float64(): ">f8"}


class Payloads(NamedTuple):
    """The values of a column as bytes, one after the other, and which of them there are."""

    data: np.ndarray
    offsets: np.ndarray
    valid: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """The bytes of each value."""
        return np.diff(self.offsets)


def copied(table: pa.Table) -> Iterator[bytes]:
    """The table in the binary form of COPY, block by block."""
    yield BEGINNING
    for batch in table.to_batches(max_chunksize=_BLOCK):
        columns = [payloads(column) for column in batch.columns]
        yield interleaved(columns, len(batch), len(columns)).data.tobytes()
    yield END


def payloads(array: pa.Array) -> Payloads:
    """The values of one column."""
    kind, valid = array.type, ~np.asarray(array.is_null())
    if pa.types.is_decimal(kind) or _is_decimals(kind):
        return payloads(pa.array(_numerics(array), pa.string()))
    if pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type):
        return _arrays(array, valid)
    if pa.types.is_nested(kind):
        return payloads(pa.array([None if each is None else to_json(each) for each in texts(array)], pa.string()))
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return _texts(array, valid)
    fixed = _fixed(array)
    data = np.ascontiguousarray(fixed).view(np.uint8).reshape(-1)
    return Payloads(data, np.arange(len(array) + 1) * fixed.dtype.itemsize, valid)


def interleaved(columns: list[Payloads], n: int, fields: int | None) -> Payloads:
    """Length and payload of each column, row by row; before them the number of fields, if there is one."""
    sizes = np.full(n, 0 if fields is None else 2)
    for column in columns:
        sizes += 4 + np.where(column.valid, column.lengths, 0)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    # Each write of a number may touch bytes behind the last row.
    out, cursor = np.zeros(int(offsets[-1]) + 8, np.uint8), offsets[:-1].copy()
    if fields is not None:
        _put(out, cursor, np.full(n, fields, ">i2"))
        cursor += 2
    for column in columns:
        lengths = column.lengths
        _put(out, cursor, np.where(column.valid, lengths, -1).astype(">i4"))
        cursor += 4
        used = np.where(column.valid, lengths, 0)
        _scatter(out, cursor, column, used)
        cursor += used
    return Payloads(out[: int(offsets[-1])], offsets, np.ones(n, np.bool_))


def _put(out: np.ndarray, at: np.ndarray, values: np.ndarray) -> None:
    """Write a number, or a fixed number of bytes, at each of some offsets."""
    everywhere = np.ndarray((out.size - values.itemsize + 1,), values.dtype, out, strides=(1,))
    everywhere[at] = values


def _scatter(out: np.ndarray, at: np.ndarray, column: Payloads, lengths: np.ndarray) -> None:
    """Write values of any length, each at its offset."""
    width = int(lengths[0]) if lengths.size else 0
    if 0 < width <= 64 and (lengths == width).all() and column.data.size == width * lengths.size:
        _put(out, at, column.data.view(f"V{width}"))
        return
    total = int(lengths.sum())
    if total:
        inside = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        out[np.repeat(at, lengths) + inside] = column.data[np.repeat(column.offsets[:-1], lengths) + inside]


def _fixed(array: pa.Array) -> np.ndarray:
    """Values of one width, as numbers of the other byte order."""
    kind = array.type
    if kind in _NUMBERS:
        return np.asarray(array.fill_null(False if pa.types.is_boolean(kind) else 0)).astype(_NUMBERS[kind])
    if pa.types.is_date32(kind):
        return (np.asarray(array.cast(pa.int32()).fill_null(_EPOCH_DAYS)) - _EPOCH_DAYS).astype(">i4")
    numbers = np.asarray(array.cast(pa.int64()).fill_null(0))
    if pa.types.is_timestamp(kind):
        return (numbers - _EPOCH_US).astype(">i8")
    if pa.types.is_time64(kind):
        return (numbers // 1_000).astype(">i8")
    interval = np.zeros(numbers.size, [("us", ">i8"), ("days", ">i4"), ("months", ">i4")])
    interval["us"] = numbers
    return interval


def _texts(array: pa.Array, valid: np.ndarray) -> Payloads:
    """Bytes as Arrow has them."""
    array = array.cast(pa.large_binary())
    _, offsets, data = array.buffers()
    found = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return Payloads(np.frombuffer(data or b"", np.uint8), found, valid)


def _arrays(array: pa.Array, valid: np.ndarray) -> Payloads:
    """Lists of values of one type."""
    sizes = np.asarray(pc.list_value_length(array).fill_null(0)).astype(np.int64)
    flat = array.flatten()
    elements = interleaved([payloads(flat)], len(flat), None)
    oid = ELEMENT[str(postgres_type(array.type.value_type))]
    ends = np.cumsum(sizes)
    first = elements.offsets[ends - sizes]
    lengths = elements.offsets[ends] - first
    heads = np.where(sizes > 0, 20, 12)
    offsets = np.concatenate([[0], np.cumsum(heads + lengths)])
    out, at = np.zeros(int(offsets[-1]) + 20, np.uint8), offsets[:-1]
    for place, values in enumerate((np.sign(sizes), np.zeros(sizes.size), np.full(sizes.size, oid))):
        _put(out, at + 4 * place, values.astype(">i4"))
    filled = sizes > 0
    _put(out, at[filled] + 12, sizes[filled].astype(">i4"))
    _put(out, at[filled] + 16, np.ones(int(filled.sum()), ">i4"))
    _scatter(out, at + heads, Payloads(elements.data, np.append(first, 0), valid), lengths)
    return Payloads(out[: int(offsets[-1])], offsets, valid)


def _is_decimals(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) and pa.types.is_decimal(kind.value_type))


def _numerics(array: pa.Array) -> list[str | None]:
    """Decimals, or lists of them, as Postgres reads them."""
    if not pa.types.is_list(array.type):
        return [None if each is None else str(each) for each in texts(array)]
    lists = [None if each is None else [str(x) if x is not None else "NULL" for x in each] for each in _lists(array)]
    return [None if each is None else "{" + ",".join(each) + "}" for each in lists]


def _lists(array: pa.Array) -> list[list[object] | None]:
    return [each if isinstance(each, list) else None for each in texts(array)]
