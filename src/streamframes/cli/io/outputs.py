"""Outputs: where results go, one file or a folder of files, complete or not at all."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.io.inputs import ENDINGS, format_of
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

_INSTANT = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
# Spark's own pattern stops at milliseconds.
_TEXT = {"timestampFormat": f"{_INSTANT}XXX", "timestampNTZFormat": _INSTANT}
# A quote inside a value is doubled, as everybody but Spark reads it.
_QUOTES = {"escape": '"'}
WRITING = {
    "parquet": {},
    "csv": {"header": "true", **_QUOTES, **_TEXT},
    "json": {"ignoreNullFields": "false", **_TEXT},
}
_SPARK_FILES = ("part-*", "_SUCCESS", ".*.crc")


@dataclass(frozen=True)
class Target:
    """A path that may be written to: one file if its name has an ending, else a folder of files."""

    path: str
    format: str
    overwrite: bool

    @property
    def one_file(self) -> bool:
        """Whether the rows are to be in one file."""
        return not self.remote and bool(Path(self.path).suffix)

    def replaces(self, paths: Sequence[str]) -> bool:
        """Whether some of these files would be gone afterwards."""
        place = Path(self.path).absolute()
        return any(place in (Path(path), *Path(path).parents) for path in paths)

    @property
    def remote(self) -> bool:
        """Whether the path is not one of this machine's."""
        return "://" in self.path


def target_of(path: str, format: str | None, *, overwrite: bool) -> Target:
    """Refuse before the work what could not be written after it."""
    chosen = format or format_of(path) or (None if Path(path).suffix else "parquet")
    if chosen is None:
        known = ", ".join(ENDINGS)
        raise InvalidArgument(f"--output {path!r} does not end in one of {known}; end it so or give --output-format")
    target, place = Target(path, chosen, overwrite), Path(path)
    if target.remote or not place.exists():
        return target
    if not overwrite:
        raise StreamFramesError(f"--output {path} exists already; give --overwrite to replace it")
    if place.is_dir():
        ours = {file for pattern in _SPARK_FILES for file in place.glob(pattern)}
        other = sorted(file.name for file in place.iterdir() if file not in ours)
        if other:
            raise StreamFramesError(
                f"--output {path} is a folder that holds {other[0]}, which --overwrite would delete; choose another"
            )
    return target


def write(rows: DataFrame, target: Target, order: Sequence[str]) -> None:
    """Write the rows, in order where they go into one file; without an order, in that which they have."""
    packed = {"compression": "gzip"} if target.path.lower().endswith(".gz") else {}
    rows = _flat(rows) if target.format == "csv" else rows
    if target.one_file:
        rows = rows.repartition(1).sortWithinPartitions(*map(quoted, order)) if order else rows.coalesce(1)
    writer = rows.write.format(target.format).options(**WRITING[target.format], **packed)
    if target.remote:
        writer.mode("overwrite" if target.overwrite else "error").save(target.path)
        return
    place = Path(target.path).absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    # A dot hides it from readers of the folder until it is complete.
    unfinished = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    try:
        writer.save(str(unfinished))
        _replace(place, next(unfinished.glob("part-*")) if target.one_file else unfinished)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _replace(place: Path, finished: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    elif place.exists():
        place.unlink()
    finished.rename(place)


def _flat(rows: DataFrame) -> DataFrame:
    """Lists and the like as JSON text, since CSV has cells only."""
    columns = [
        f"to_json({quoted(name)}) AS {quoted(name)}" if kind.startswith(("array", "struct", "map")) else quoted(name)
        for name, kind in rows.dtypes
    ]
    return rows.selectExpr(*columns)


def quoted(name: str) -> str:
    """A column name as it stands in SQL."""
    return "`" + name.replace("`", "``") + "`"
