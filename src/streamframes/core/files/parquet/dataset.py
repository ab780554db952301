"""A dataset: Parquet files that agree in their columns, as the driver has seen them and as workers get them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyarrow import fs

from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.footers import Footer, read_footers
from streamframes.core.files.parquet.listing import File, Paths, list_files
from streamframes.core.files.parquet.statistics import UNKNOWN, Range, meaning_of, ticks_range
from streamframes.core.files.parquet.types import spans
from streamframes.errors import InvalidArgument, StreamFramesError

# Row groups with fewer rows are read together.
ROWS_TOGETHER = 1 << 17


@dataclass(frozen=True)
class RowGroup:
    """One row group: `file` is an index into the files, `low` to `high` the range of its instants, if known.

    `count` is more than one for small row groups that are read together, of which `number` is the first.
    """

    file: int
    number: int
    rows: int
    low: int | None
    high: int | None
    count: int = 1


@dataclass(frozen=True)
class Dataset:
    """Files and the columns that they share: those of the files, then those of the Hive folders.

    The footers stay where they were read: a copy that was pickled has none, and so knows no row groups.
    """

    filesystem: fs.FileSystem
    files: tuple[File, ...]
    root: str | None
    schema: pa.Schema
    rows: int
    footers: tuple[Footer, ...] = field(default=(), repr=False, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        """Everything but what is known of row groups."""
        return {**self.__dict__, "footers": ()}

    @property
    def hive(self) -> tuple[str, ...]:
        """The names of the columns that are written in the folders."""
        return tuple(name for name, _ in self.files[0].partition)

    @property
    def all_row_groups(self) -> list[RowGroup]:
        """Every row group, file after file, without a look at instants."""
        return [
            RowGroup(file, number, rows, None, None)
            for file, footer in enumerate(self.footers)
            for number, rows in enumerate(footer.row_counts)
        ]

    def stored_bytes(self, name: str) -> int:
        """What different values of a column take in the first row group: its dictionary, or all that is stored."""
        if name in self.hive or not self.rows:
            return 0
        footer = next(footer for footer in self.footers if footer.metadata.num_rows)
        leaf = spans(footer.schema)[footer.schema.get_field_index(name)].start
        with footer.naming():
            column = footer.metadata.row_group(0).column(leaf)
            if column.has_dictionary_page and column.dictionary_page_offset is not None:
                return int(column.data_page_offset - column.dictionary_page_offset)
            return int(column.total_compressed_size)

    def row_groups(self, ts: str) -> list[RowGroup]:
        """The row groups in which any row may have an instant, file after file."""
        if ts not in self.schema.names:
            raise InvalidArgument(
                f"scan() got ts={ts!r}, which is not a column; the columns are {', '.join(self.schema.names)}"
            )
        if not self.footers:
            raise StreamFramesError("the row groups of a dataset are known only where its footers were read")
        groups = (group for number, footer in enumerate(self.footers) for group in self._groups(number, footer, ts))
        return list(_together(groups))

    def _groups(self, file: int, footer: Footer, ts: str) -> Iterator[RowGroup]:
        if ts in self.hive:
            between = _in_folder(footer.file, ts, self.schema.field(ts).type)
            ranges = [between] * footer.metadata.num_row_groups
        else:
            with footer.naming():
                ranges = _in_statistics(footer, ts)
        for number, (between, rows) in enumerate(zip(ranges, footer.row_counts, strict=True)):
            if between is not None and rows:
                yield RowGroup(file, number, rows, *between)


def _together(groups: Iterable[RowGroup]) -> Iterator[RowGroup]:
    """Small row groups that follow each other in a file and in time, as one: to read one takes some time by itself."""
    last: RowGroup | None = None
    for group in groups:
        if last is not None and _follows(last, group):
            last = RowGroup(last.file, last.number, last.rows + group.rows, last.low, group.high, last.count + 1)
        else:
            if last is not None:
                yield last
            last = group
    if last is not None:
        yield last


def _follows(last: RowGroup, group: RowGroup) -> bool:
    near = (last.file, last.number + last.count) == (group.file, group.number)
    small = last.rows + group.rows <= ROWS_TOGETHER
    return near and small and last.high is not None and group.low is not None and last.high <= group.low


def _in_folder(file: File, ts: str, kind: pa.DataType) -> Range | None:
    text = dict(file.partition)[ts]
    return None if text is None else (hive.ticks(text, kind), hive.ticks(text, kind))


def _in_statistics(footer: Footer, ts: str) -> list[Range | None]:
    metadata = footer.metadata
    leaves = spans(footer.schema)[footer.schema.get_field_index(ts)]
    if len(leaves) != 1 or metadata.schema.column(leaves.start).max_repetition_level:
        return [UNKNOWN] * metadata.num_row_groups
    meaning = meaning_of(metadata.schema, leaves.start)
    return [ticks_range(metadata.row_group(k), leaves.start, meaning) for k in range(metadata.num_row_groups)]


def open_dataset(paths: Paths, filesystem: fs.FileSystem | None = None) -> Dataset:
    """The dataset that paths stand for; every footer is read and must agree with the first."""
    filesystem, files, root = list_files(paths, filesystem)
    footers = read_footers(filesystem, files)
    kinds = _agreed(footers)
    columns = [(name, kind) for name, kind in kinds.items() if kind is not None]
    columns += _hive_columns(files)
    rows = sum(footer.metadata.num_rows for footer in footers)
    return Dataset(filesystem, tuple(files), root, pa.schema(columns), rows, tuple(footers))


def _hive_columns(files: Sequence[File]) -> list[tuple[str, pa.DataType]]:
    columns = zip(*(file.partition for file in files), strict=True)
    return [(column[0][0], hive.kind_of(text for _, text in column)) for column in columns]


def _agreed(footers: Sequence[Footer]) -> dict[str, pa.DataType | None]:
    """The columns of the first file with their carried types, which are those of every file."""
    first = footers[0]
    _check_names(first)
    kinds = first.carried()
    for footer in footers[1:]:
        _check_names(footer)
        if not footer.schema.equals(first.schema) or not footer.metadata.schema.equals(first.metadata.schema):
            _check_kinds(footer, footer.carried(), first, kinds)
    return kinds


def _check_names(footer: Footer) -> None:
    twice = [name for name, times in Counter(footer.schema.names).items() if times > 1]
    if twice:
        raise InvalidArgument(f"scan() got {footer.file.path!r}, which has more than one column {twice[0]!r}")
    names = [name for name, _ in footer.file.partition]
    for name in names:
        if name in footer.schema.names or names.count(name) > 1:
            raise InvalidArgument(
                f"scan() got {footer.file.path!r}, where {name!r} is the column of a folder and comes again "
                f"{'in the file' if name in footer.schema.names else 'in another folder'}; a name may come once"
            )


def _check_kinds(footer: Footer, kinds: dict[str, Any], first: Footer, agreed: dict[str, Any]) -> None:
    for name, kind in agreed.items():
        if name not in kinds:
            raise InvalidArgument(
                f"scan() got {footer.file.path!r}, which has no column {name!r}, but {first.file.path!r} has it"
            )
        if kinds[name] != kind:
            raise InvalidArgument(
                f"scan() got {footer.file.path!r}, where column {name!r} is {_type_text(footer, name, kinds)}, "
                f"but in {first.file.path!r} it is {_type_text(first, name, agreed)}; all files must agree"
            )
    for name in kinds:
        if name not in agreed:
            raise InvalidArgument(
                f"scan() got {first.file.path!r}, which has no column {name!r}, but {footer.file.path!r} has it"
            )


def _type_text(footer: Footer, name: str, kinds: dict[str, Any]) -> str:
    """The carried type, or where there is none the type in the file."""
    return str(kinds[name] or footer.schema.field(name).type)
