"""Inputs: which files are meant, in which format, and how Spark reads them.

CSV files whose headers differ are refused, and instants of which only some have an offset.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamframes.api.rows import scan
from streamframes.cli.options.values import named
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    from streamframes.cli.engine import Engine
    from streamframes.spark import DataFrame

ENDINGS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
PACKED = (".gz", ".bz2")
READING = {
    "parquet": {},
    "csv": {"header": "true", "inferSchema": "true"},
    "json": {"inferTimestamp": "true"},
}


@dataclass(frozen=True)
class Source:
    """Paths as Spark takes them, their format, and what messages call them."""

    paths: tuple[str, ...]
    format: str
    name: str


def source_of(
    inputs: Sequence[str], format: str | None, *, argument: str = "INPUT", option: str = "--input-format"
) -> Source:
    """Find the files before Spark is started, so that a wrong name is reported at once."""
    paths: list[str] = []
    files: list[Path] = []
    formats: set[str | None] = set()
    for text in inputs:
        if "://" in text:
            paths.append(text)
            formats.add(format_of(text))
            continue
        found = _matches(text)
        paths += [literally(path) for path in found]
        local = [file for path in found for file in _files(path)]
        formats |= {format_of(file.name) for file in local}
        files += local
    if format is None and (len(formats) != 1 or None in formats):
        known = ", ".join(ENDINGS)
        raise InvalidArgument(f"{argument} {' '.join(inputs)!r} does not end in one of {known}; give {option}")
    format = format or str(formats.pop())
    if format == "csv":
        _check_headers(files)
    return Source(tuple(paths), format, " ".join(inputs))


def _check_headers(files: Sequence[Path]) -> None:
    """Refuse CSV files whose columns differ: Spark would take those of all files by their places in the first."""
    headers = {file: _header(file) for file in files} if len(files) > 1 else {}
    named_columns = {file: header for file, header in headers.items() if header}
    first = next(iter(named_columns), None)
    for file, header in named_columns.items():
        if first is not None and header != named_columns[first]:
            raise StreamFramesError(
                f"cannot read {file} with {first}: its columns are {', '.join(header)}, those of the other "
                f"{', '.join(named_columns[first])}; give files with the same columns in the same order"
            )


def _header(file: Path) -> list[str]:
    """The names in the first line; none of a file that is empty or that Spark will complain of."""
    opener: Any = {".gz": gzip.open, ".bz2": bz2.open}.get(file.suffix.lower(), open)
    try:
        with opener(file, "rt", encoding="utf-8", errors="replace", newline="") as text:
            return next(csv.reader(text), [])
    except (OSError, EOFError, csv.Error):
        return []


def format_of(name: str) -> str | None:
    """The format that the ending of a name says.

    >>> format_of("a.csv.gz"), format_of("a.jsonl"), format_of("a")
    ('csv', 'json', None)
    """
    plain = Path(name.lower())
    return ENDINGS.get(Path(plain.stem).suffix if plain.suffix in PACKED else plain.suffix)


def read(
    engine: Engine, source: Source, derive: Iterable[str], *, option: str = "--with", replace: bool = False
) -> Any:
    """The rows, with the columns that were asked for on top, or in the place of others of their name.

    Parquet files that agree and need no other column are left to the Python workers to read.
    """
    wanted = named(derive, option, "t=to_timestamp(time)")
    reader = engine.spark.read.options(**READING[source.format])
    cannot = f"cannot read {source.name} as {source.format}"
    if source.format == "parquet" and not wanted:
        try:
            return engine.run("Reading", lambda: scan(list(map(_plainly, source.paths)), spark=engine.spark))
        except InvalidArgument:
            # Files that differ in their columns: Spark takes those of one of them.
            pass
        except StreamFramesError as error:
            raise StreamFramesError(f"{cannot}: {error}") from error
    rows = engine.run("Reading", lambda: reader.load(list(source.paths), format=source.format), failed=cannot)
    if not rows.columns:
        raise StreamFramesError(f"{cannot}: it has no columns; is it empty?")
    if rows.columns == ["_corrupt_record"]:
        raise StreamFramesError(f"{cannot}: every line must be one JSON object")
    if source.format != "parquet":
        _check_offsets(engine, source, rows, cannot)
    return _derived(engine, rows, wanted, option, replace=replace)


def _check_offsets(engine: Engine, source: Source, rows: DataFrame, cannot: str) -> None:
    """Refuse instants of which only some have an offset: Spark would take the others to be in the session's zone."""
    from streamframes.spark.offsets import mixed_offsets

    reader = engine.spark.read.options(
        **{key: value for key, value in READING[source.format].items() if key == "header"}
    )
    mixed = engine.run(
        "Reading",
        lambda: mixed_offsets(rows, lambda schema: reader.schema(schema).load(list(source.paths), source.format)),
        failed=cannot,
    )
    if mixed:
        raise StreamFramesError(f"{cannot}: {mixed}; write all of them with an offset, or all without")


def _derived(engine: Engine, rows: DataFrame, columns: Mapping[str, str], option: str, *, replace: bool) -> DataFrame:
    for name, expression in columns.items():
        others = [f"`{each}`" for each in rows.columns if each.lower() != name.lower()]
        if len(others) < len(rows.columns) and not replace:
            raise InvalidArgument(f"{option} names {name!r}, which is a column already; choose a new name")
        text = f"{expression} AS `{name}`"
        rows = engine.analyse(f"{option} {name}={expression}", partial(rows.selectExpr, *others, text))
    return rows


def _matches(text: str) -> list[Path]:
    path = Path(text)
    if path.exists():
        found = [path]
    else:
        root = Path(path.anchor)
        found = sorted(root.glob(str(path.relative_to(root)))) if path.name else []
    for each in found:
        if not os.access(each, os.R_OK):
            raise StreamFramesError(f"cannot read {each}: permission denied")
    if not found:
        what = "no file matches" if re.search(r"[*?\[]", text) else "no such file or folder"
        raise StreamFramesError(f"cannot read {text}: {what}")
    return found


def _files(path: Path) -> Iterable[Path]:
    files = [path] if path.is_file() else [each for each in path.rglob("*") if each.is_file()]
    # Spark overlooks such names.
    visible = [file for file in files if not file.name.startswith(("_", "."))]
    if not visible:
        raise StreamFramesError(
            f"cannot read {path}: it has no files but hidden ones (names that begin with _ or .)"
            if files
            else f"cannot read {path}: the folder is empty"
        )
    return visible


def _plainly(path: str) -> str:
    """The path that `literally` was given.

    >>> _plainly(literally(Path("/a[1]/b*.parquet")))
    '/a[1]/b*.parquet'
    """
    return re.sub(r"\\([\\{}\[\]*?])", r"\1", path)


def literally(path: Path) -> str:
    """The path for Spark, which has a folder of its own and would take these characters as a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path.absolute()))
