"""Footers: what each file says of itself, read by the driver once, before any row is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from streamframes.core.files.parquet.column_chunks import check_column_chunks
from streamframes.core.files.parquet.listing import File
from streamframes.core.files.parquet.types import columns
from streamframes.errors import InvalidArgument, StreamFramesError

THREADS = 8
_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_LEAST = 12
_END = 1 << 16
"""How many bytes are read at once: more than most footers have."""


@dataclass(frozen=True)
class Footer:
    """The footer of one file, the columns as pyarrow reads them, and of each its leaves and its carried type.

    `skipped` are the row groups that nobody wants.
    """

    file: File
    metadata: pq.FileMetaData
    schema: pa.Schema
    row_counts: tuple[int, ...]
    leaves: dict[str, range]
    kinds: dict[str, pa.DataType | None]
    skipped: frozenset[int] = frozenset()

    def unreadable(self, error: Exception) -> StreamFramesError:
        """An error that names the file: much of a footer is read when somebody looks at it."""
        return StreamFramesError(f"scan() got {self.file.path!r}, whose footer cannot be read: {first_line(error)}")


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
        with opened(filesystem, file) as source:
            footer = footer_bytes(source)
            parquet = pq.ParquetFile(pa.BufferReader(footer), pre_buffer=False)
            metadata, schema = parquet.metadata, parquet.schema_arrow
            _check_names(file, schema.names)
            check_column_chunks(footer, metadata)
            counts = tuple(metadata.row_group(number).num_rows for number in range(metadata.num_row_groups))
            if min(counts, default=0) < 0:
                raise ValueError(f"its row groups have {counts} rows")
            return Footer(file, metadata, schema, counts, *columns(schema, metadata.schema))
    except InvalidArgument:
        raise
    except Exception as error:
        raise StreamFramesError(f"scan() got {file.path!r}, {_reason(filesystem, file, error)}") from error


def _check_names(file: File, names: Sequence[str]) -> None:
    """Refuse a name that comes twice, in a file or in its folders."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InvalidArgument(f"scan() got {file.path!r}, which has more than one column {twice[0]!r}")
    folders = [name for name, _ in file.partition]
    for name in folders:
        if name in names or folders.count(name) > 1:
            raise InvalidArgument(
                f"scan() got {file.path!r}, where {name!r} is the column of a folder and comes again "
                f"{'in the file' if name in names else 'in another folder'}; a name may come once"
            )


def checked_metadata(source: Any) -> pq.FileMetaData:
    """The footer of an open file, of which PyArrow may read all."""
    footer = footer_bytes(source)
    metadata = pq.read_metadata(pa.BufferReader(footer))
    check_column_chunks(footer, metadata)
    return metadata


def footer_bytes(source: Any) -> bytes:
    """The end of a file from its footer on, or what may be it."""
    size = source.size()
    end = bytes(source.read_at(min(size, _END), max(0, size - _END)))
    wanted = int.from_bytes(end[-8:-4], "little") + 8
    if wanted <= len(end) or wanted > size:
        return end[-wanted:]
    return bytes(source.read_at(wanted, size - wanted))


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Errors begin with `what`, which names a file: damaged bytes make PyArrow raise errors of many classes."""
    try:
        yield
    except StreamFramesError:
        raise
    except Exception as error:
        raise StreamFramesError(f"{what}: {first_line(error)}") from error


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
    except OSError:
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
