"""A dataset: Parquet files that agree in their columns, as the driver has seen them and as workers get them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import fs

from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.bounds import Bounds, constants
from streamframes.core.files.parquet.footers import Footer, read_footers
from streamframes.core.files.parquet.listing import File, Paths, list_files
from streamframes.errors import InvalidArgument


class Skipped(NamedTuple):
    """How many files hold no row that is wanted, of how many, and how many row groups of the others."""

    files: int = 0
    n_files: int = 0
    row_groups: int = 0
    n_row_groups: int = 0


NOTHING_SKIPPED = Skipped()


@dataclass(frozen=True)
class Dataset:
    """Files and the columns that they share: those of the files, then those of the Hive folders; or as a log says.

    `log` names the table whose log says what its files and columns are; it is empty where files stand for themselves.
    The footers stay where they were read: a copy that was pickled has none, and so knows of no rows.
    """

    filesystem: fs.FileSystem
    files: tuple[File, ...]
    root: str | None
    schema: pa.Schema
    log: str = ""
    skipped: Skipped = field(default=NOTHING_SKIPPED, compare=False)
    footers: tuple[Footer, ...] = field(default=(), repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what footers say."""
        return {**self.__dict__, "footers": ()}

    @property
    def rows(self) -> int:
        """How many rows the files have; those that a log has deleted are none."""
        return sum(map(_rows_of, self.footers))

    def stored_bytes(self, name: str) -> int:
        """What different values of a column take in the first row group: its dictionary, or all that is stored."""
        footer = next((each for each in self.footers if each.metadata.num_rows and name in each.leaves), None)
        if footer is None:
            return 0
        try:
            column = footer.metadata.row_group(0).column(footer.leaves[name].start)
            if column.has_dictionary_page and column.dictionary_page_offset is not None:
                return int(column.data_page_offset - column.dictionary_page_offset)
            return int(column.total_compressed_size)
        except Exception as error:
            raise footer.unreadable(error) from error


def open_dataset(paths: Paths, filesystem: fs.FileSystem | None = None) -> Dataset:
    """The dataset that paths stand for; every footer is read and must agree with the first."""
    return ListedFiles(*list_files(paths, filesystem)).dataset()


@dataclass(frozen=True)
class ListedFiles:
    """Files that paths stand for, and the folder under which Hive folders lie, if there are any."""

    filesystem: fs.FileSystem
    files: Sequence[File]
    root: str | None

    @property
    def n_files(self) -> int:
        """How many files there are."""
        return len(self.files)

    @cached_property
    def columns(self) -> pa.Schema:
        """The columns of the first file, then those of the folders."""
        return self.dataset(()).schema

    def bounds(self, name: str) -> Bounds | None:
        """The one value of each file, where the folders say it."""
        kind = self.columns.field(name).type
        if not any(name == column for column, _ in self.files[0].partition):
            return None
        return constants(pa.array([hive.value(dict(file.partition)[name], kind).as_py() for file in self.files], kind))

    def dataset(self, wanted: Sequence[int] | None = None) -> Dataset:
        """The files, or those that are wanted; every footer that is read must agree with that of the first file."""
        files = self.files if wanted is None else [self.files[number] for number in wanted]
        footers = read_footers(self.filesystem, files)
        first = footers[0] if wanted is None else read_footers(self.filesystem, self.files[:1])[0]
        for footer in footers:
            if footer.kinds != first.kinds:
                _check_kinds(footer, first)
        columns = [(name, kind) for name, kind in first.kinds.items() if kind is not None]
        folders = zip(*(file.partition for file in self.files), strict=True)
        columns += [(folder[0][0], hive.kind_of(text for _, text in folder)) for folder in folders]
        return Dataset(self.filesystem, tuple(files), self.root, pa.schema(columns), footers=tuple(footers))


def _rows_of(footer: Footer) -> int:
    deleted = np.frombuffer(footer.file.deleted, np.int64)
    if not footer.skipped:
        return int(footer.metadata.num_rows) - deleted.size
    ends = np.cumsum(footer.row_counts)
    starts = ends - footer.row_counts
    kept = [number for number in range(len(ends)) if number not in footer.skipped]
    left = np.searchsorted(deleted, ends[kept]) - np.searchsorted(deleted, starts[kept])
    return int((ends[kept] - starts[kept] - left).sum())


def _check_kinds(footer: Footer, first: Footer) -> None:
    """Refuse a file whose columns, in their carried types, are not those of the first."""
    for name, kind in first.kinds.items():
        if name not in footer.kinds:
            raise InvalidArgument(
                f"scan() got {footer.file.path!r}, which has no column {name!r}, but {first.file.path!r} has it"
            )
        if footer.kinds[name] != kind:
            raise InvalidArgument(
                f"scan() got {footer.file.path!r}, where column {name!r} is {_type_text(footer, name)}, "
                f"but in {first.file.path!r} it is {_type_text(first, name)}; all files must agree"
            )
    for name in footer.kinds:
        if name not in first.kinds:
            raise InvalidArgument(
                f"scan() got {first.file.path!r}, which has no column {name!r}, but {footer.file.path!r} has it"
            )


def _type_text(footer: Footer, name: str) -> str:
    """The carried type, or where there is none the type in the file."""
    return str(footer.kinds[name] or footer.schema.field(name).type)
