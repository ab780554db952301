"""Listing: the Parquet files that paths, folders, patterns and URIs stand for.

  events.parquet             the file, whatever its name ends in
  events/                    every Parquet file below it, by the end of the name
  events/day=*/part-?.*      what matches, part by part; ** stands for any number of folders
  s3://bucket/events/        the same on any filesystem that pyarrow opens

Names that begin with `_` or `.` are passed over below folders and by wildcards, as in Spark.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import fs

from streamframes.core.files.parquet.hive import Partition, agreed_partitions
from streamframes.errors import InvalidArgument

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

ENDINGS = (".parquet", ".parq", ".pq")
_URI = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+)://|file:/")
_WILD = re.compile(r"[*?\[]")
_QUERY = re.compile(r"\?\w+=[^/&?*]*(&\w+=[^/&?*]*)*$")
_EXAMPLES = "give a file, a folder, a pattern such as 'data/*.parquet' or a URI such as 's3://bucket/data/'"


@dataclass(frozen=True)
class File:
    """One Parquet file: its path inside the filesystem, its size in bytes, and the columns whose values are not in it.

    The log of a table may say more of it: `stored` are columns with their names in the file, where those are others,
    `deleted` the numbers of rows that are no more, as bytes of int64, rising.
    """

    path: str
    size: int
    partition: Partition = ()
    stored: tuple[tuple[str, str], ...] = ()
    deleted: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class _Place:
    """A path as it was given, and where that is; of `path`, the first `start` parts are not the user's words."""

    given: str
    filesystem: fs.FileSystem
    path: str
    start: int = 0


def list_files(paths: Paths, filesystem: fs.FileSystem | None = None) -> tuple[fs.FileSystem, list[File], str | None]:
    """The filesystem, the files sorted by path, and the folder under which Hive folders lie, if there are any."""
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise InvalidArgument(f"scan() got no path; {_EXAMPLES}")
    places = [_place(os.fspath(path), filesystem) for path in given]
    first = places[0]
    for place in places:
        if place.filesystem != first.filesystem:
            raise InvalidArgument(
                f"scan() got {first.given!r} and {place.given!r}, which lie on different filesystems; scan each alone"
            )
    sizes: dict[str, int] = {}
    starts: dict[str, int] = {}
    for place in places:
        try:
            for info in _files(place):
                sizes[info.path], starts[info.path] = info.size, place.start
        except OSError as error:
            raise InvalidArgument(f"scan() got {place.given!r}, which cannot be listed: {error}") from error
    root, partitions = agreed_partitions({path: starts[path] for path in sorted(starts)})
    return first.filesystem, [File(path, sizes[path], columns) for path, columns in partitions.items()], root


def _place(given: str, filesystem: fs.FileSystem | None) -> _Place:
    if not isinstance(given, str) or not given:
        raise InvalidArgument(f"scan() got the path {given!r}; {_EXAMPLES}")
    if filesystem is None and _URI.match(given):
        return _place_of_uri(given)
    filesystem = filesystem or fs.LocalFileSystem()
    if not isinstance(filesystem, fs.LocalFileSystem):
        return _Place(given, filesystem, given.rstrip("/"))
    path, here = Path(given), Path.cwd()
    absolute = path if path.is_absolute() else here / path
    return _Place(given, filesystem, absolute.as_posix(), 0 if path.is_absolute() else len(here.parts))


def _place_of_uri(given: str) -> _Place:
    """Wildcards are no part of a URI's grammar: pyarrow opens what stands before them."""
    uri = re.sub(r"^s3[an]://", "s3://", given)
    query = _QUERY.search(uri)
    uri, options = (uri[: query.start()], query.group()) if query else (uri, "")
    wild = _WILD.search(uri)
    cut = uri.rindex("/", 0, wild.start()) if wild else len(uri)
    base, pattern = uri[:cut], uri[cut:]
    if base in ("file:", "file://"):
        base = "file:///"
    try:
        filesystem, path = fs.FileSystem.from_uri(base + options)
    except (pa.ArrowException, OSError) as error:
        raise InvalidArgument(f"scan() got {given!r}, which pyarrow cannot open: {error}") from error
    return _Place(given, filesystem, path.rstrip("/") + unquote(pattern).rstrip("/"))


def _files(place: _Place) -> Iterator[fs.FileInfo]:
    """The files of one path; at least one."""
    itself = place.filesystem.get_file_info(place.path or "/")
    wild = itself.type == fs.FileType.NotFound and _WILD.search(place.path)
    if itself.type == fs.FileType.NotFound and not wild:
        raise InvalidArgument(f"scan() got {place.given!r}, which does not exist; {_EXAMPLES}")
    matched = _matches(place) if wild else [itself]
    none = True
    for info in matched:
        for file in [info] if info.is_file else _below(place.filesystem, info.path):
            none = False
            yield file
    if none:
        what = "a pattern that no Parquet file matches" if wild else "a folder with no Parquet file"
        raise InvalidArgument(f"scan() got {place.given!r}, {what}; files in folders end in {', '.join(ENDINGS)}")


def _below(filesystem: fs.FileSystem, folder: str) -> Iterator[fs.FileInfo]:
    """Every Parquet file below a folder."""
    for info in filesystem.get_file_info(fs.FileSelector(folder, recursive=True)):
        inside = info.path[len(folder) :].strip("/").split("/")
        if info.is_file and inside[-1].lower().endswith(ENDINGS) and not any(map(_is_hidden, inside)):
            yield info


def _is_hidden(name: str) -> bool:
    """Whether a name is passed over; a Hive column may begin with an underscore."""
    return name.startswith(".") or (name.startswith("_") and "=" not in name)


def _matches(place: _Place) -> Iterator[fs.FileInfo]:
    """The files and folders that match a pattern."""
    parts = place.path.split("/")
    fixed = next(number for number, part in enumerate(parts) if _WILD.search(part))
    base = "/".join(parts[:fixed])
    if place.path.startswith("/"):
        base = base or "/"
    return _matches_below(place.filesystem, base, parts[fixed:])


def _matches_below(filesystem: fs.FileSystem, folder: str, parts: list[str]) -> Iterator[fs.FileInfo]:
    if not parts:
        yield filesystem.get_file_info(folder)
        return
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _matches_below(filesystem, folder, rest)
    for info in filesystem.get_file_info(fs.FileSelector(folder, allow_not_found=True)):
        name, is_folder = info.base_name, info.type == fs.FileType.Directory
        if (_is_hidden(name) and not part.startswith(name[0])) or not fnmatchcase(name, part):
            continue
        if part == "**" or rest:
            if is_folder:
                yield from _matches_below(filesystem, info.path, parts if part == "**" else rest)
        elif is_folder or info.is_file:
            yield info
