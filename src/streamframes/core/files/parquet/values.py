"""Values of a column, read page by page: numbers where they belong, texts one after the other.

  page of numbers   unpacked into the column itself, or into a room for one page and copied
  page of texts     length, bytes, length, bytes, ...

A writer that gave up on its dictionary leaves pages with numbers of it before the plain ones; these are read as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.files.parquet.headers import (
    BEGIN,
    DATA,
    DICTIONARY,
    ENCODING,
    KIND,
    LEVELS,
    PACKED,
    PLAIN,
    SIZE,
    STORED,
    VALUES,
)
from streamframes.core.files.parquet.hybrid import all_there
from streamframes.core.files.parquet.pages import MOST_BYTES, Stored, opened, places, readable
from streamframes.core.files.parquet.snappy import BEHIND, unpack
from streamframes.core.jit.buffers import empty
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import half, octets, put, word

_STEP = 16  # so many bytes of a text are copied at once
_NUMBER = 8  # and so many does a number have
_LEAD = 64  # bytes before the first number, for what comes before the numbers of a page


def read_numbers(stored: Stored, kind: pa.DataType) -> pa.Array | None:
    """A column of numbers of eight bytes, none of them null; None where PyArrow has to read it."""
    pages = readable(stored)
    if pages is None:
        return None
    room = empty(_LEAD + _NUMBER * stored.rows + BEHIND, np.uint8)
    if not _numbers(*pages, np.empty(pages.in_dictionary, np.int64), room):
        return None
    return pa.Array.from_buffers(kind, stored.rows, [None, pa.py_buffer(room[_LEAD : len(room) - BEHIND])])


def read_constant(stored: Stored) -> pa.Array | None:
    """The one text of a column whose dictionary has no other, if no value is null as far as is known."""
    pages = readable(stored)
    if pages is None or pages.in_dictionary != 1 or (pages.table[1:, ENCODING] == PLAIN).any():
        return None
    ends, text = np.zeros(2, np.int32), np.empty(int(pages.table[0, SIZE]) + _STEP, np.uint8)
    if not _texts(*pages._replace(table=pages.table[:1]), ends, text, ends, text):
        return None
    return pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(ends), pa.py_buffer(text)])


def read_texts(stored: Stored, kind: pa.DataType) -> pa.Array | None:
    """A column of texts or bytes, none of them null; None where PyArrow has to read it."""
    pages = readable(stored)
    if pages is None:
        return None
    table, first = pages.table, int(pages.in_dictionary > 0)
    offsets, words = np.zeros(pages.in_dictionary + 1, np.int32), np.empty(_STEP, np.uint8)
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
        begin, end = opened(data, page, optional, scratch)
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
        elif places(scratch, begin, end, codes, n, dictionary.size):
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
        begin, end = opened(data, page, optional and page[KIND] != DICTIONARY, scratch)
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
            if not places(scratch, begin, end, codes, n, offsets.size - 1):
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
