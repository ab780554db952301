"""Pages: a column as it is stored, page by page, unpacked where that can be done here.

  bytes of a column -> pages -> one of them, unpacked: [levels | values]

What is rare is left to PyArrow: nulls, other encodings, whatever does not look as it should.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.files.parquet.headers import (
    BEGIN,
    DATA,
    DATA_2,
    DICTIONARY,
    ENCODING,
    KIND,
    LEVELS,
    NULLS,
    PACKED,
    PLAIN,
    PLAIN_DICTIONARY,
    RLE_DICTIONARY,
    SIZE,
    STORED,
    VALUES,
    pages_of,
)
from streamframes.core.files.parquet.hybrid import WIDEST, all_there, small_numbers
from streamframes.core.files.parquet.snappy import BEFORE, BEHIND, unpack
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import copy, half, octets

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD")
"""The codecs of columns that are read here; of LZ4 there are two."""
MOST_BYTES = 1 << 30
"""How many bytes a page, or the texts of a column, may have."""


class Stored(NamedTuple):
    """A column of a row group as it is stored."""

    data: np.ndarray
    codec: str
    rows: int
    optional: bool


class Pages(NamedTuple):
    """Pages that can be read, with room to unpack one of them, and for the numbers of its values."""

    data: np.ndarray
    table: np.ndarray
    optional: bool
    scratch: np.ndarray
    codes: np.ndarray

    @property
    def in_dictionary(self) -> int:
        """How many values the dictionary has, which is the first page if there is one."""
        return int(self.table[0, VALUES]) if self.table[0, KIND] == DICTIONARY else 0


def readable(stored: Stored) -> Pages | None:
    """The pages of a column, if all are of a kind that is read here."""
    table = pages_of(stored.data)
    if table is None or not len(table) or stored.codec not in CODECS:
        return None
    is_data = np.isin(table[:, KIND], (DATA, DATA_2))
    known = np.isin(table[:, ENCODING], (PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY))
    known &= is_data | (table[:, KIND] == DICTIONARY)
    known &= (table[:, NULLS] <= 0) & (table[:, LEVELS] >= 0)
    known &= table[:, LEVELS] <= np.minimum(table[:, SIZE], table[:, STORED])
    # What is damaged may tell any number; room is made for these.
    known &= (table[:, SIZE] <= MOST_BYTES) & (table[:, VALUES] <= np.where(is_data, stored.rows, table[:, SIZE]))
    if not known.all() or not is_data[1:].all() or table[is_data, VALUES].sum() != stored.rows:
        return None
    data = stored.data
    if stored.codec == "UNCOMPRESSED":
        table[:, PACKED] = 0
    elif stored.codec != "SNAPPY":
        data = _unpacked(stored, table)
    scratch = np.empty(BEFORE + int(table[:, SIZE].max()) + BEHIND, np.uint8)
    codes = np.empty(int(table[:, VALUES].max()), np.int32)
    return Pages(data, table, stored.optional, scratch, codes)


def _unpacked(stored: Stored, table: np.ndarray) -> np.ndarray:
    """The bytes of pages that Arrow unpacks, one page after the other; the table says where they lie now."""
    bodies, at = [], 0
    for page in table:
        begin, levels, size = int(page[BEGIN]), int(page[LEVELS]), int(page[SIZE])
        body = stored.data[begin + levels : begin + int(page[STORED])]
        if page[PACKED]:
            body = np.frombuffer(pa.decompress(pa.py_buffer(body), size - levels, stored.codec.lower()), np.uint8)
        bodies += [stored.data[begin : begin + levels], body]
        page[BEGIN], page[STORED], page[SIZE] = at, levels + body.size, levels + body.size
        at += levels + body.size
    table[:, PACKED] = 0
    return np.concatenate(bodies)


@compiled
def opened(data: Any, page: Any, optional: Any, scratch: Any) -> Any:
    """Unpack a page; returns between where its values lie, or -1 where some are null or something is wrong."""
    levels = page[LEVELS]
    begin, end, size = page[BEGIN] + levels, page[BEGIN] + page[STORED], page[SIZE] - levels
    if page[PACKED]:
        if not unpack(data, begin, end, scratch, BEFORE, size):
            return -1, -1
    else:
        if end - begin != size:
            return -1, -1
        copy(octets(scratch), BEFORE, octets(data), begin, size)
    begin, end = np.int64(BEFORE), BEFORE + size
    if optional and page[KIND] == DATA:
        if size < 4:
            return -1, -1
        levels = half(octets(scratch), begin)
        begin += 4
        if levels > end - begin or not all_there(scratch, begin, begin + levels, page[VALUES]):
            return -1, -1
        begin += levels
    return begin, end


@compiled
def places(scratch: Any, begin: Any, end: Any, codes: Any, n: Any, known: Any) -> Any:
    """Where in a dictionary of so many values those of a page are; returns whether all are there."""
    if begin >= end or scratch[begin] > WIDEST:
        return False
    if not small_numbers(scratch, begin + 1, end, np.int64(scratch[begin]), codes, n):
        return False
    most, least = np.int64(0), np.int64(0)
    for i in range(n):
        most, least = max(most, codes[i]), min(least, codes[i])
    return n == 0 or (least >= 0 and most < known)
