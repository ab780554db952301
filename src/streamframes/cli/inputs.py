"""Inputs: which files are meant, in which format, and how Spark reads them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.terms import named
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
    """Find the files before Spark is started, so that a wrong name is told at once."""
    paths: list[str] = []
    formats: set[str | None] = set()
    for text in inputs:
        if "://" in text:
            paths.append(text)
            formats.add(format_of(text))
            continue
        found = _matches(text)
        paths += [literally(path) for path in found]
        formats |= {format_of(file.name) for path in found for file in _files(path)}
    if format is None and (len(formats) != 1 or None in formats):
        known = ", ".join(ENDINGS)
        raise InvalidArgument(f"{argument} {' '.join(inputs)!r} does not end in one of {known}; give {option}")
    return Source(tuple(paths), format or str(formats.pop()), " ".join(inputs))


def format_of(name: str) -> str | None:
    """The format that a name tells by its ending.

    >>> format_of("a.csv.gz"), format_of("a.jsonl"), format_of("a")
    ('csv', 'json', None)
    """
    plain = Path(name.lower())
    return ENDINGS.get(Path(plain.stem).suffix if plain.suffix in PACKED else plain.suffix)


def read(engine: Engine, source: Source, derive: Iterable[str], *, option: str = "--with") -> DataFrame:
    """The rows, with the columns that were asked for on top."""
    reader = engine.spark.read.options(**READING[source.format])
    cannot = f"cannot read {source.name} as {source.format}"
    rows = engine.run("Reading", lambda: reader.load(list(source.paths), format=source.format), failed=cannot)
    if not rows.columns:
        raise StreamFramesError(f"{cannot}: it has no columns; is it empty?")
    if rows.columns == ["_corrupt_record"]:
        raise StreamFramesError(f"{cannot}: every line must be one JSON object")
    return _derived(engine, rows, named(derive, option, "t=to_timestamp(time)"), option)


def _derived(engine: Engine, rows: DataFrame, columns: Mapping[str, str], option: str) -> DataFrame:
    for name, expression in columns.items():
        if name.lower() in map(str.lower, rows.columns):
            raise InvalidArgument(f"{option} names {name!r}, which is a column already; choose a new name")
        text = f"{expression} AS `{name}`"
        rows = engine.analyse(f"{option} {name}={expression}", partial(rows.selectExpr, "*", text))
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


def literally(path: Path) -> str:
    """The path for Spark, which has a folder of its own and would take these characters as a pattern."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", str(path.absolute()))
