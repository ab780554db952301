"""Footers: what each file says of itself, read by the driver once, before any row is."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from streamframes.core.files.parquet.listing import File
from streamframes.core.files.parquet.schema import as_spark_sees, spans
from streamframes.core.files.parquet.types import carried
from streamframes.errors import StreamFramesError

THREADS = 8
UNREADABLE = (pa.ArrowException, OSError, ValueError)
"""What pyarrow raises over a file that it cannot make sense of."""
_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_LEAST = 12


@dataclass(frozen=True)
class Footer:
    """The footer of one file, and the columns as pyarrow reads them."""

    file: File
    metadata: pq.FileMetaData
    schema: pa.Schema

    def carried(self) -> dict[str, pa.DataType | None]:
        """Each column's carried type; None where there is none."""
        leaves = self.metadata.schema
        kinds: dict[str, pa.DataType | None] = {}
        for field, span in zip(self.schema, spans(self.schema), strict=True):
            kind = carried(field.type)
            kinds[field.name] = kind and as_spark_sees(kind, (leaves.column(leaf) for leaf in span))
        return kinds


def read_footers(filesystem: fs.FileSystem, files: Sequence[File]) -> list[Footer]:
    """The footers of all files, in their order."""
    if len(files) <= 1:
        return [read_footer(filesystem, file) for file in files]
    with ThreadPoolExecutor(min(THREADS, len(files))) as pool:
        return list(pool.map(lambda file: read_footer(filesystem, file), files))


def read_footer(filesystem: fs.FileSystem, file: File) -> Footer:
    """The footer of one file."""
    if file.size < _LEAST:
        raise StreamFramesError(f"scan() got {file.path!r}, which is no Parquet file: it has {file.size} bytes")
    try:
        with opened(filesystem, file) as source, pq.ParquetFile(source, pre_buffer=False) as parquet:
            return Footer(file, parquet.metadata, parquet.schema_arrow)
    except UNREADABLE as error:
        raise StreamFramesError(f"scan() got {file.path!r}, {_reason(filesystem, file, error)}") from error


def opened(filesystem: fs.FileSystem, file: File) -> Any:
    """The bytes of a file: mapped into memory where the filesystem is the machine's own."""
    local = isinstance(filesystem, fs.LocalFileSystem)
    return pa.memory_map(file.path) if local else filesystem.open_input_file(file.path)


def _reason(filesystem: fs.FileSystem, file: File, error: Exception) -> str:
    """Why a footer cannot be read: from what the file begins and ends with, or else in pyarrow's words."""
    try:
        with opened(filesystem, file) as source:
            size, first = source.size(), source.read_at(len(_MAGIC), 0)
            last = source.read_at(len(_MAGIC), max(0, size - len(_MAGIC)))
    except UNREADABLE:
        return f"which cannot be read: {first_line(error)}"
    if first == _MAGIC and last != _MAGIC:
        return "which begins like a Parquet file and does not end like one: it was cut off, or is not yet written"
    if first == last == _ENCRYPTED:
        return "which is encrypted; only files that need no key can be read"
    if first != _MAGIC:
        return f"which is no Parquet file: it begins with {bytes(first)!r} instead of {_MAGIC!r}"
    return f"whose footer cannot be read: {first_line(error)}"


def first_line(error: Exception) -> str:
    """What an error says, without the trace that some of pyarrow's carry."""
    return next(islice(str(error).splitlines(), 1), type(error).__name__)
