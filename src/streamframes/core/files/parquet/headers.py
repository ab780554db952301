"""Page headers: where the pages of a column lie in its bytes, and how each is stored.

  a column of a row group   header, dictionary   header, page   header, page   ...

A header is a struct in the compact protocol of Thrift. Of its fields those are kept that say how to read the page.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

# What is known of a page.
KIND, SIZE, STORED, VALUES, ENCODING, NULLS, LEVELS, PACKED, BEGIN = range(9)
PAGE_FIELDS = 9
DATA, DICTIONARY, DATA_2 = 0, 2, 3
PLAIN, PLAIN_DICTIONARY, RLE_DICTIONARY = 0, 2, 8
UNKNOWN = -1

# The numbers of fields in the header, and in the structs that it has for pages of the first version, dictionaries, and
# pages of the second version.
_OF_HEADER = {1: KIND, 2: SIZE, 3: STORED}
_OF_KIND = {
    5: {1: VALUES, 2: ENCODING},
    7: {1: VALUES, 2: ENCODING},
    8: {1: VALUES, 2: NULLS, 4: ENCODING, 5: LEVELS, 6: LEVELS, 7: PACKED},
}
_DEEPEST, _STRUCTS, _FIELDS = 8, 16, 16
_PLACES = np.full((_STRUCTS, _FIELDS), UNKNOWN)
for _struct, _fields in {0: _OF_HEADER, **_OF_KIND}.items():
    for _number, _place in _fields.items():
        _PLACES[_struct, _number] = _place

# Types of the protocol.
_TRUE, _FALSE, _BYTE, _WORD, _DOUBLE, _TEXT, _STRUCT = 1, 2, 3, 6, 7, 8, 12


def pages_of(data: np.ndarray) -> np.ndarray | None:
    """The pages of a column, one a row; None if its bytes cannot be made sense of."""
    table = np.empty((64, PAGE_FIELDS), np.int64)
    found = _pages(data, _PLACES, table)
    if found > len(table):
        table = np.empty((found, PAGE_FIELDS), np.int64)
        _pages(data, _PLACES, table)
    return None if found < 0 else table[:found]


@compiled
def _pages(data: Any, places: Any, table: Any) -> Any:
    """Fill the table as far as there is room; returns how many pages there are, or -1."""
    page, numbers = np.empty(PAGE_FIELDS, np.int64), np.empty(_DEEPEST, np.int64)
    at, found = 0, 0
    while at < data.size:
        page[:] = UNKNOWN
        page[LEVELS], page[PACKED] = 0, 1
        at = _header(data, at, places, page, numbers)
        if at < 0 or page[SIZE] < 0 or page[STORED] < 0 or page[STORED] > data.size - at or page[VALUES] < 0:
            return -1
        page[BEGIN] = at
        if found < len(table):
            table[found] = page
        at += page[STORED]
        found += 1
    return found


@compiled
def _header(data: Any, at: Any, places: Any, page: Any, numbers: Any) -> Any:
    """Read a header; returns where it ends, or -1. `numbers` are those of the fields that are being read, by depth."""
    depth = 0
    numbers[0] = 0
    while at < data.size:
        head, at = np.int64(data[at]), at + 1
        if head == 0:
            if depth == 0:
                return at
            depth -= 1
            continue
        kind = head & 15
        if head >> 4:
            numbers[depth] += head >> 4
        else:
            at, numbers[depth] = _signed(data, at)
        if kind == _STRUCT:
            depth += 1
            if depth == _DEEPEST:
                return -1
            numbers[depth] = 0
            continue
        at, value = _value(data, at, kind)
        if at < 0:
            return -1
        struct = numbers[0] if depth == 1 else 0
        if depth <= 1 and 0 <= struct < _STRUCTS and 0 <= numbers[depth] < _FIELDS:
            place = places[struct, numbers[depth]]
            if place == LEVELS:
                page[place] += value
            elif place >= 0:
                page[place] = value
    return -1


@compiled
def _value(data: Any, at: Any, kind: Any) -> Any:
    """Where a value ends, or -1, and the value if it is a number."""
    if at < 0:
        return -1, 0
    if kind in (_TRUE, _FALSE):
        return at, np.int64(kind == _TRUE)
    if kind == _BYTE:
        return at + 1, 0
    if kind == _DOUBLE:
        return at + 8, 0
    if kind == _TEXT:
        at, size = varint(data, at, data.size)
        return (at + size if 0 <= size <= data.size - at else -1), 0
    if _BYTE < kind <= _WORD:
        return _signed(data, at)
    return -1, 0


@compiled
def _signed(data: Any, at: Any) -> Any:
    at, value = varint(data, at, data.size)
    return at, (value >> 1) ^ -(value & 1)


@compiled
def varint(data: Any, at: Any, end: Any) -> Any:
    """Where a number of seven bits a byte ends, or -1, and the number; it has 62 bits at the most."""
    value: Any = 0
    for i in range(min(9, end - at) if at >= 0 else 0):
        some = np.int64(data[at + i])
        value |= (some & 0x7F) << (7 * i)
        if some < 0x80:
            return at + i + 1, value
    return -1, 0
