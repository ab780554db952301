"""Pages, read without PyArrow where that is faster: plain numbers packed by Snappy, and plain texts.

  bytes of a column -> pages -> unpacked, one after the other -> values, where they belong in the column

A writer that gave up on its dictionary leaves pages with numbers of it before the plain ones; these are read as well.
What is rare is left to PyArrow: nulls, other encodings, whatever does not look as it should.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.buffers import empty
from streamframes.core.compiled import compiled
from streamframes.core.parquet.headers import (
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
from streamframes.core.parquet.hybrid import WIDEST, all_there, small_numbers
from streamframes.core.parquet.snappy import BEFORE, BEHIND, unpack
from streamframes.core.pointers import copy, half, octets, put, word

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "BROTLI", "ZSTD")
"""The codecs of columns that are read here; of LZ4 there are two."""
MOST_BYTES = 1 << 30
"""How many bytes the texts of a column may have."""
_STEP = 16  # so many bytes of a text are copied at once
_NUMBER = 8  # and so many does a number have
_LEAD = 64  # bytes before the first number, for what comes before the numbers of a page


class Stored(NamedTuple):
    """A column of a row group as it is stored."""

    data: np.ndarray
    codec: str
    rows: int
    optional: bool


class _Pages(NamedTuple):
    """Pages that can be read, with room to unpack one of them, and for the numbers of its values."""

    data: np.ndarray
    table: np.ndarray
    optional: bool
    scratch: np.ndarray
    codes: np.ndarray


def read_numbers(stored: Stored, kind: pa.DataType) -> pa.Array | None:
    """A column of numbers of eight bytes, none of them null; None where PyArrow has to read it."""
    pages = _readable(stored)
    if pages is None:
        return None
    room = empty(_LEAD + _NUMBER * stored.rows + BEHIND, np.uint8)
    if not _numbers(*pages, np.empty(_in_dictionary(pages), np.int64), room):
        return None
    return pa.Array.from_buffers(kind, stored.rows, [None, pa.py_buffer(room[_LEAD : len(room) - BEHIND])])


def read_constant(stored: Stored) -> pa.Array | None:
    """The one text of a column whose dictionary has no other, if no value is null as far as is known."""
    pages = _readable(stored)
    if pages is None or _in_dictionary(pages) != 1 or (pages.table[1:, ENCODING] == PLAIN).any():
        return None
    ends, word = np.zeros(2, np.int32), np.empty(int(pages.table[0, SIZE]) + _STEP, np.uint8)
    if not _texts(*pages._replace(table=pages.table[:1]), ends, word, ends, word):
        return None
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(word)])


def read_texts(stored: Stored, kind: pa.DataType) -> pa.Array | None:
    """A column of texts or bytes, none of them null; None where PyArrow has to read it."""
    pages = _readable(stored)
    if pages is None:
        return None
    table, first = pages.table, int(_in_dictionary(pages) > 0)
    offsets, words = np.zeros(_in_dictionary(pages) + 1, np.int32), np.empty(_STEP, np.uint8)
    if first:
        words = np.empty(int(table[0, SIZE]) + _STEP, np.uint8)
        if not _texts(*pages._replace(table=table[:1]), offsets, words, offsets, words):
            return None
    plain = table[first:, ENCODING] == PLAIN
    bytes_of_words = int(table[first:, VALUES][~plain].sum()) * int(np.diff(offsets).max(initial=0))
    room = int(table[first:, SIZE][plain].sum()) + bytes_of_words + _STEP
    if room > MOST_BYTES:
        return None
    ends, out = np.frombuffer(pa.allocate_buffer(4 * (stored.rows + 1)), np.int32), empty(room, np.uint8)
    if not _texts(*pages._replace(table=table[first:]), offsets, words, ends, out):
        return None
    return pa.Array.from_buffers(kind, stored.rows, [None, pa.py_buffer(ends), pa.py_buffer(out[: int(ends[-1])])])


def _readable(stored: Stored) -> _Pages | None:
    """The pages of a column, if all are of a kind that is read here."""
    table = pages_of(stored.data)
    if table is None or not len(table) or stored.codec not in CODECS:
        return None
    is_data = np.isin(table[:, KIND], (DATA, DATA_2))
    known = np.isin(table[:, ENCODING], (PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY))
    known &= is_data | (table[:, KIND] == DICTIONARY)
    known &= (table[:, NULLS] <= 0) & (table[:, LEVELS] >= 0)
    known &= table[:, LEVELS] <= np.minimum(table[:, SIZE], table[:, STORED])
    if not known.all() or not is_data[1:].all() or table[is_data, VALUES].sum() != stored.rows:
        return None
    data = stored.data
    if stored.codec == "UNCOMPRESSED":
        table[:, PACKED] = 0
    elif stored.codec != "SNAPPY":
        data = _unpacked(stored, table)
    scratch = np.empty(BEFORE + int(table[:, SIZE].max()) + BEHIND, np.uint8)
    codes = np.empty(int(table[:, VALUES].max()), np.int32)
    return _Pages(data, table, stored.optional, scratch, codes)


def _in_dictionary(pages: _Pages) -> int:
    """How many values the dictionary has."""
    return int(pages.table[0, VALUES]) if pages.table[0, KIND] == DICTIONARY else 0


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
def _opened(data: Any, page: Any, optional: Any, scratch: Any) -> Any:
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
def _places(scratch: Any, begin: Any, end: Any, codes: Any, n: Any, known: Any) -> Any:
    """Where in a dictionary of so many values those of a page are; returns whether all are there."""
    if begin >= end or scratch[begin] > WIDEST:
        return False
    if not small_numbers(scratch, begin + 1, end, np.int64(scratch[begin]), codes, n):
        return False
    most, least = np.int64(0), np.int64(0)
    for i in range(n):
        most, least = max(most, codes[i]), min(least, codes[i])
    return n == 0 or (least >= 0 and most < known)


@compiled
def _in_place(data: Any, page: Any, optional: Any, room: Any, place: Any) -> Any:
    """Unpack a page of plain numbers where they belong; false where its values do not begin where they should.

    What stands before the numbers is unpacked over the ones of the page before, and then these are put back.
    """
    n, levels = page[VALUES], page[LEVELS]
    before: Any = 0
    if optional and page[KIND] == DATA:
        # All are there: a length, a run of so many, a one.
        before = 6
        while n >> (7 * (before - 5) - 1):
            before += 1
    size = page[SIZE] - levels
    if not page[PACKED] or page[ENCODING] != PLAIN or page[KIND] == DICTIONARY or size != before + _NUMBER * n:
        return False
    target, begin = octets(room), place - before
    one, two, three = word(target, place - 24), word(target, place - 16), word(target, place - 8)
    done = unpack(data, page[BEGIN] + levels, page[BEGIN] + page[STORED], room, begin, size)
    if before:
        done = done and half(target, begin) == before - 4 and all_there(room, begin + 4, place, n)
    put(target, place - 24, one)
    put(target, place - 16, two)
    put(target, place - 8, three)
    return done


@compiled
def _numbers(data: Any, table: Any, optional: Any, scratch: Any, codes: Any, dictionary: Any, room: Any) -> Any:
    """Fill the room behind `_LEAD`; returns whether that could be done."""
    source, at = octets(scratch), 0
    out = room[_LEAD : room.size - BEHIND].view(np.int64)
    for p in range(len(table)):
        page = table[p]
        n = page[VALUES]
        if _in_place(data, page, optional, room, np.int64(_LEAD + _NUMBER * at)):
            at += n
            continue
        begin, end = _opened(data, page, optional, scratch)
        plain = page[ENCODING] == PLAIN or page[KIND] == DICTIONARY
        if begin < 0 or (plain and _NUMBER * n > end - begin):
            return False
        if page[KIND] == DICTIONARY:
            for i in range(n):
                dictionary[i] = word(source, begin + _NUMBER * i)
            continue
        if plain:
            for i in range(n):
                out[at + i] = word(source, begin + _NUMBER * i)
        elif _places(scratch, begin, end, codes, n, dictionary.size):
            for i in range(n):
                out[at + i] = dictionary[codes[i]]
        else:
            return False
        at += n
    return True


@compiled
def _texts(
    data: Any, table: Any, optional: Any, scratch: Any, codes: Any, offsets: Any, words: Any, ends: Any, out: Any
) -> Any:
    """Fill `ends` and `out`; `offsets` and `words` are the dictionary. Returns whether that could be done."""
    source, target, known = octets(scratch), octets(out), octets(words)
    at, place = 0, np.int64(0)
    ends[0] = 0
    for p in range(len(table)):
        page = table[p]
        n = page[VALUES]
        begin, end = _opened(data, page, optional and page[KIND] != DICTIONARY, scratch)
        if begin < 0:
            return False
        if page[ENCODING] == PLAIN or page[KIND] == DICTIONARY:
            for i in range(n):
                if end - begin < 4:
                    return False
                size = half(source, begin)
                begin += 4
                if size > end - begin:
                    return False
                _put_text(source, begin, target, place, size)
                begin += size
                place += size
                ends[at + i + 1] = place
        else:
            if not _places(scratch, begin, end, codes, n, offsets.size - 1):
                return False
            for i in range(n):
                first = np.int64(offsets[codes[i]])
                size = offsets[codes[i] + 1] - first
                _put_text(known, first, target, place, size)
                place += size
                ends[at + i + 1] = place
        at += n
    return True


@compiled
def _put_text(source: Any, begin: Any, target: Any, place: Any, size: Any) -> None:
    """Copy a text, and some bytes behind it."""
    put(target, place, word(source, begin))
    put(target, place + 8, word(source, begin + 8))
    for j in range(_STEP, size, 8):
        put(target, place + j, word(source, begin + j))
