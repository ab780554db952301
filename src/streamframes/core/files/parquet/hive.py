"""Hive folders: columns whose values are written in the path, `day=2024-01-01/router=a/part-0.parquet`.

As in Spark, the folders that count are the last ones that stand together: of `run=1/data/day=2/hour=3` only
`day` and `hour` are columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from streamframes.errors import InvalidArgument

Partition = tuple[tuple[str, Any], ...]
"""Columns and what all rows of a file have there: the text of a folder, or a value that the log of a table gives."""

NULL = "__HIVE_DEFAULT_PARTITION__"
_FOLDER = re.compile(r"([^=]+)=(.*)", re.DOTALL)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def partition(path: str, start: int = 0) -> tuple[str | None, Partition]:
    """The folder above the Hive folders of a file (None: there are none), and their columns and values.

    `start` is how many leading parts of the path are not looked at.

    >>> partition("data/day=2024-01-01/name=a%20b/part-0.parquet")
    ('data', (('day', '2024-01-01'), ('name', 'a b')))
    """
    folders = path.split("/")[:-1]
    end = len(folders)
    while end > start and not _FOLDER.fullmatch(folders[end - 1]):
        end -= 1
    first = end
    while first > start and _FOLDER.fullmatch(folders[first - 1]):
        first -= 1
    if first == end:
        return None, ()
    root = "/".join(folders[:first])
    return root or ("/" if path.startswith("/") else ""), tuple(_column(folder) for folder in folders[first:end])


def agreed_partitions(starts: Mapping[str, int]) -> tuple[str | None, dict[str, Partition]]:
    """The folder above the Hive folders of all files, and each file's columns and values; the columns must be the same.

    `starts` are the paths, and of each how many leading parts are not looked at.
    """
    found = {path: partition(path, start) for path, start in starts.items()}
    first, (root, columns) = next(iter(found.items()))
    for path, (other, others) in found.items():
        if [name for name, _ in others] != [name for name, _ in columns]:
            raise InvalidArgument(
                f"scan() got {path!r}, whose folders have the columns {_names_text(others)}, "
                f"and {first!r}, whose folders have {_names_text(columns)}; they must be the same"
            )
        if other != root:
            raise InvalidArgument(
                f"scan() got {path!r} and {first!r}, whose columns in folders begin below {other!r} "
                f"and below {root!r}; scan each alone"
            )
    return root, {path: each for path, (_, each) in found.items()}


def _names_text(columns: Partition) -> str:
    return ", ".join(name for name, _ in columns) or "none"


def _column(folder: str) -> tuple[str, str | None]:
    name, _, text = folder.partition("=")
    return unquote(name), None if text == NULL else unquote(text)


def kind_of(texts: Iterable[str | None]) -> pa.DataType:
    """The type that all values of a Hive column have: a whole number, a date, or else a string."""
    known = [text for text in texts if text is not None]
    if known and all(_WHOLE.fullmatch(text) for text in known):
        widest = max(max(number, -1 - number) for number in map(int, known))
        if widest < 2**63:
            return pa.int32() if widest < 2**31 else pa.int64()
    if known and all(_is_date(text) for text in known):
        return pa.date32()
    return pa.string()


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def value(said: Any, kind: pa.DataType) -> pa.Scalar:
    """What a folder or a log says, in the type of its column."""
    known = said
    if isinstance(said, str) and pa.types.is_integer(kind):
        known = int(said)
    elif isinstance(said, str) and pa.types.is_date(kind):
        known = date.fromisoformat(said)
    return pa.scalar(known, kind)


def ticks(said: Any, kind: pa.DataType) -> int | None:
    """What a folder or a log says as an instant: microseconds, days of a date, or the number; None for a string."""
    if not (pa.types.is_integer(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind)):
        return None
    found: int = value(said, kind).cast(pa.int32() if pa.types.is_date(kind) else pa.int64()).as_py()
    return found
