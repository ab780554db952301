"""Files: parts written as Parquet, CSV or JSON lines, in time order over the files."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Protocol

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from streamframes.data.arguments import one_of, whole
from streamframes.data.parts import Parts
from streamframes.errors import InvalidArgument


class Sink(AbstractContextManager["Sink"], Protocol):
    """An open file that takes tables."""

    def write_table(self, table: pa.Table) -> None:
        """Append the rows."""


class Csv(Sink):
    """One line per row after a line of names; instants in ISO 8601."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        plain = pa.schema([(f.name, pa.string() if pa.types.is_timestamp(f.type) else f.type) for f in schema])
        self._writer = pa_csv.CSVWriter(path, plain, write_options=pa_csv.WriteOptions(quoting_style="none"))

    def write_table(self, table: pa.Table) -> None:
        """Append the rows."""
        for batch in table.to_batches():
            columns = [_iso(c) if pa.types.is_timestamp(c.type) else c for c in batch.columns]
            self._writer.write_table(pa.table(columns, names=batch.schema.names))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._writer.close()


class Json(Sink):
    """One object per row and line; instants in ISO 8601.

    Lines are put together column by column. Strings go in as they are: made-up names need no escaping.
    """

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._file = path.open("wb")

    def write_table(self, table: pa.Table) -> None:
        """Append the rows."""
        for batch in table.to_batches():
            pieces: list[object] = []
            for name, column in zip(batch.schema.names, batch.columns, strict=True):
                instants = pa.types.is_timestamp(column.type)
                quote = '"' if instants or pa.types.is_string(column.type) else ""
                text = _iso(column) if instants else column.cast(pa.string())
                pieces += [f'{"," if pieces else "{"}"{name}":{quote}', text, quote]
            lines = pc.binary_join_element_wise(*pieces, "}\n", "")
            self._file.write(lines.buffers()[2])

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""
        self._file.close()


def _parquet(path: Path, schema: pa.Schema) -> Sink:
    # Counts and instants hardly repeat, so a dictionary of them would only cost time.
    repeating = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_floating(field.type)]
    return pq.ParquetWriter(path, schema, compression="zstd", compression_level=1, use_dictionary=repeating)  # type: ignore[no-any-return]


FORMATS: dict[str, Callable[[Path, pa.Schema], Sink]] = {"csv": Csv, "json": Json, "parquet": _parquet}


def write(parts: Parts, folder: str | os.PathLike[str], files: int, format: str) -> list[Path]:
    """Write the rows into a new folder, one part in memory at a time.

    Parameters
    ----------
    parts
        The rows.
    folder
        Where the files go; made if absent, and empty if present.
    files
        How many files; the rows of a file are earlier than those of the next.
    format
        `parquet`, `csv` or `json` (one object per line).

    Returns
    -------
    list of Path
        The files, in time order.
    """
    files = whole("write", "files", files)
    sink = FORMATS[one_of("write", "format", format, FORMATS)]
    folder = Path(folder)
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InvalidArgument(f"write() got folder={str(folder)!r}, which is in use; it must be new or empty")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"part-{file:05d}.{format}" for file in range(files)]
    began = time.time()
    for file, (path, pieces) in enumerate(zip(paths, parts.files(files), strict=True)):
        _write_file(path, sink, parts.schema, pieces)
        # A file stream reads in the order of modification times, so no two may be equal.
        os.utime(path, (began - files + file, began - files + file))
    return paths


def _write_file(
    path: Path, sink: Callable[[Path, pa.Schema], Sink], schema: pa.Schema, pieces: Iterable[pa.Table]
) -> None:
    # Spark overlooks names that begin with a dot, so a running file stream never meets half a file.
    unfinished = path.with_name(f".{path.name}")
    with sink(unfinished, schema) as out:
        for piece in pieces:
            out.write_table(piece)
    unfinished.replace(path)


def _iso(instants: pa.Array) -> pa.Array:
    # Without a zone the cast is ten times as fast; the instants are in UTC.
    text = instants.view(pa.timestamp("us")).cast(pa.string())
    return pc.binary_join_element_wise(pc.replace_substring(text, " ", "T"), "Z", "")
