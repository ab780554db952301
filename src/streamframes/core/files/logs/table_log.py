"""The log of a table, whatever its format, and the dataset that it makes of its files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
from pyarrow import fs

from streamframes.core.files.parquet import Dataset, Footer, hive, read_footers
from streamframes.core.files.parquet.bounds import Bounds, constants
from streamframes.core.files.parquet.listing import File
from streamframes.core.files.parquet.types import carried
from streamframes.errors import InvalidArgument

_FIELD_ID = b"PARQUET:field_id"


@dataclass(frozen=True)
class LoggedFile:
    """A file of a table: `constants` are columns that are in no file, `defaults` what is read where a file has none."""

    file: File
    constants: Mapping[str, object] = field(default_factory=dict)
    defaults: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class TableLog:
    """What a log says of one version of a table.

    Parameters
    ----------
    name
        The table and its version, as errors call it.
    filesystem
        Where the files lie.
    files
        The files of this version.
    schema
        The columns of this version.
    keys
        Of each column its name in the files, or its field id there.
    names
        Field ids of the columns of files that have none, by their names.
    statistics
        What is known of the values of a column of a type in each file, or nothing.
    """

    name: str
    filesystem: fs.FileSystem
    files: tuple[LoggedFile, ...]
    schema: pa.Schema
    keys: Mapping[str, str | int]
    names: Mapping[str, int] = field(default_factory=dict)
    statistics: Callable[[str, pa.DataType], Bounds | None] = lambda name, kind: None

    @property
    def columns(self) -> pa.Schema:
        """The columns that can be carried, in the types that carry them."""
        return pa.schema([(each.name, kind) for each in self.schema if (kind := carried(each.type)) is not None])

    @property
    def n_files(self) -> int:
        """How many files this version has."""
        return len(self.files)

    def bounds(self, name: str) -> Bounds | None:
        """What the log says of the values of a column in each file."""
        kind = self.columns.field(name).type
        if self.files and all(name in each.constants for each in self.files):
            return constants(pa.array([hive.value(each.constants[name], kind).as_py() for each in self.files], kind))
        return self.statistics(name, kind)

    def dataset(self, wanted: Sequence[int] | None = None) -> Dataset:
        """The files, or those that are wanted, and the columns that the log says they have."""
        schema = self.columns
        logged = self.files if wanted is None else [self.files[number] for number in wanted]
        found = read_footers(self.filesystem, [each.file for each in logged])
        footers = tuple(map(lambda each, footer: self._as_logged(schema, each, footer), logged, found))
        files = tuple(footer.file for footer in footers)
        return Dataset(self.filesystem, files, None, schema, self.name, footers=footers)

    def _as_logged(self, schema: pa.Schema, logged: LoggedFile, footer: Footer) -> Footer:
        """A footer with the names that columns have in the table, and a file that knows those which it lacks."""
        in_file = self._in_file(footer)
        constant, leaves, kinds, stored = {}, {}, {}, []
        for name, kind in zip(schema.names, schema.types, strict=True):
            there = in_file.get(self.keys[name])
            if name in logged.constants or there is None:
                constant[name] = logged.constants.get(name, logged.defaults.get(name))
                continue
            self._check_kind(footer, name, footer.kinds[there], kind)
            leaves[name], kinds[name] = footer.leaves[there], kind
            if there != name:
                stored.append((name, there))
        file = replace(logged.file, partition=tuple(constant.items()), stored=tuple(stored))
        return replace(footer, file=file, leaves=leaves, kinds=kinds)

    def _in_file(self, footer: Footer) -> dict[str | int, str]:
        """The names of columns in a file, by themselves and by field id."""
        by_id = {
            int(each.metadata[_FIELD_ID]): each.name for each in footer.schema if _FIELD_ID in (each.metadata or ())
        }
        by_id = by_id or {self.names[name]: name for name in footer.schema.names if name in self.names}
        if not by_id and any(isinstance(key, int) for key in self.keys.values()):
            raise InvalidArgument(
                f"scan() got {self.name}, whose file {footer.file.path!r} has no field ids, and the table maps no names"
            )
        return {**{name: name for name in footer.schema.names}, **by_id}

    def _check_kind(self, footer: Footer, name: str, found: pa.DataType | None, wanted: pa.DataType) -> None:
        if found is None or not is_widened(found, wanted):
            raise InvalidArgument(
                f"scan() got {self.name}, where column {name!r} is {wanted}, but {found} in the file "
                f"{footer.file.path!r}; rewrite the file, or read the table with Spark"
            )


def is_widened(found: pa.DataType, wanted: pa.DataType) -> bool:
    """Whether each value of a type has the same value in the other.

    >>> is_widened(pa.int32(), pa.int64()), is_widened(pa.int64(), pa.float64())
    (True, False)
    """
    if found == wanted:
        return True
    if pa.types.is_decimal(wanted) and pa.types.is_decimal(found):
        whole = wanted.precision - wanted.scale >= found.precision - found.scale
        return bool(whole and wanted.scale >= found.scale)
    if pa.types.is_integer(found) and pa.types.is_integer(wanted):
        return bool(found.bit_width <= wanted.bit_width)
    exact = found == pa.float32() or (pa.types.is_integer(found) and found.bit_width <= 32)
    return bool(exact and wanted == pa.float64())
