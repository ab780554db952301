"""Page headers: whether the pages of a column chunk are those that Polars takes them for, before it reads them.

  chunk   [header, dictionary] [header, values] [header, values] ...

Polars looks at the sizes in headers, and hardly at what else they say. PyArrow refuses a dictionary and levels in
another encoding. Pages of the second version have levels that are not packed, which damage may reach; they are left to
PyArrow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.files.parquet.column_chunks import DEEPEST, signed_at, value_at
from streamframes.core.jit.compiled import compiled

# The kinds of pages, and the encodings that a dictionary and levels have.
_DATA, _DICTIONARY = 0, 2
_PLAIN, _PLAIN_DICTIONARY, _RLE = 0, 2, 3
# What is noted of a header, and where it stands in the struct of a page, of a data page and of a dictionary.
_KIND, _SIZE, _VALUES, _ENCODING, _LEVELS, _NOTED = range(6)
_OF_PAGE, _OF_DATA, _OF_DICTIONARY = 0, 5, 7


def are_plain_pages(data: np.ndarray, rows: int) -> bool:
    """Whether a chunk is a dictionary, if it has one, and pages of the first version with so many values."""
    return bool(_are_plain(data, rows))


@compiled
def _are_plain(data: Any, rows: Any) -> Any:
    noted = np.empty(_NOTED, np.int64)
    at, values, is_first = 0, np.int64(0), True
    while at < data.size:
        at = _header(data, at, noted)
        if at < 0 or not 0 <= noted[_SIZE] <= data.size - at:
            return False
        if noted[_KIND] == _DICTIONARY:
            if not is_first or (noted[_ENCODING] != _PLAIN and noted[_ENCODING] != _PLAIN_DICTIONARY):
                return False
        elif noted[_KIND] != _DATA or noted[_LEVELS] != _RLE or noted[_VALUES] < 0:
            return False
        else:
            values += noted[_VALUES]
        at += noted[_SIZE]
        is_first = False
    return values == rows


@compiled
def _header(data: Any, at: Any, noted: Any) -> Any:
    """Note what a header says; returns where it ends, or -1."""
    field, left = np.zeros(DEEPEST, np.int64), np.ones(DEEPEST, np.int64)
    noted[:] = -1
    depth = 0
    while 0 <= at < data.size:
        header, at = np.int64(data[at]), at + 1
        if header == 0:
            left[depth] -= 1
            if left[depth] == 0:
                if depth == 0:
                    return at
                depth -= 1
            else:
                field[depth] = 0
            continue
        if header >> 4:
            field[depth] += header >> 4
        else:
            at, field[depth] = signed_at(data, at)
        at, value, is_struct = value_at(data, at, header & 15)
        if at < 0:
            return -1
        if depth < 2:
            _note(noted, field[0] if depth else _OF_PAGE, field[depth], value)
        if is_struct and value:
            depth += 1
            if depth == DEEPEST:
                return -1
            field[depth], left[depth] = 0, value
    return -1


@compiled
def _note(noted: Any, struct: Any, number: Any, value: Any) -> None:
    """Note a number of a page, or of the struct that says more about it."""
    if struct == _OF_PAGE:
        if number == 1:
            noted[_KIND] = value
        elif number == 3:
            noted[_SIZE] = value
    elif struct == _OF_DATA:
        if number == 1:
            noted[_VALUES] = value
        elif number == 2:
            noted[_ENCODING] = value
        elif number == 3:
            noted[_LEVELS] = value
    elif struct == _OF_DICTIONARY and number == 2:
        noted[_ENCODING] = value
