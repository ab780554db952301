"""Selections: columns and expressions over the rows of a dataset, computed where the files are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import pyarrow as pa

from streamframes.core.batch.groups import as_int64
from streamframes.core.batch.packer import Layout
from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.dataset import Dataset
from streamframes.core.files.parquet.reader import RowGroupReader
from streamframes.core.files.parquet.row_groups import RowGroup, all_row_groups, row_groups_of
from streamframes.core.sparksql import Expression


class Arrays(NamedTuple):
    """Group columns, instants, and what travels with them."""

    keys: list[pa.Array]
    ts: pa.Array
    columns: list[pa.Array]

    def filter(self, keep: pa.BooleanArray) -> Arrays:
        """The rows where `keep` holds."""
        keys, columns = (_kept(arrays, keep) for arrays in (self.keys, self.columns))
        return Arrays(keys, self.ts.filter(keep), columns)

    def together(self, schema: pa.Schema) -> pa.RecordBatch:
        """All columns side by side; those of the groups may stay dictionaries."""
        keys = [
            key if pa.types.is_dictionary(key.type) and not key.null_count else key.cast(field.type)
            for key, field in zip(self.keys, schema, strict=True)
        ]
        arrays = [*keys, self.ts, *self.columns]
        return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(arrays))])


@dataclass(frozen=True)
class Selection:
    """What is read of a dataset: for each column of the layout a column's name, or an expression over columns.

    `where` says which rows: those on which it is true.
    """

    dataset: Dataset
    layout: Layout
    values: tuple[str | Expression, ...]
    where: Expression | None = None

    @property
    def ts(self) -> str | None:
        """The column of the instants, if they are one."""
        value = self.values[len(self.layout.keys)]
        return value if isinstance(value, str) else None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        values = self.values if self.where is None else (*self.values, self.where)
        used = (name for value in values for name in ((value,) if isinstance(value, str) else value.columns))
        return tuple(dict.fromkeys(used))

    @property
    def row_groups(self) -> list[RowGroup]:
        """The row groups to read, with the range of their instants where it is known."""
        return all_row_groups(self.dataset) if self.ts is None else row_groups_of(self.dataset, self.ts)

    @property
    def chains(self) -> list[list[RowGroup]]:
        """Row groups whose groups are in no other: those of folders that differ in a column of the groups."""
        n_keys = len(self.layout.keys)
        partitions = [dict(file.partition) for file in self.dataset.files]
        names = {name for name in self.values[:n_keys] if isinstance(name, str)}
        names = {name for name in names if all(name in partition for partition in partitions)}
        kinds = {name: self.dataset.schema.field(name).type for name in names}
        # Texts of folders may differ and say the same, as 01 and 1; doubles may be equal and differ, as 0.0 and -0.0.
        kinds = {name: kind for name, kind in kinds.items() if not pa.types.is_floating(kind)}
        chains: dict[tuple[object, ...], list[RowGroup]] = {}
        for group in self.row_groups:
            said = tuple(hive.value(partitions[group.file][name], kind).as_py() for name, kind in kinds.items())
            chains.setdefault(said, []).append(group)
        return list(chains.values())

    def reader(self) -> SelectionReader:
        """The selection at work."""
        return SelectionReader(self)


class SelectionReader:
    """Reads the columns that a selection needs and computes its values."""

    def __init__(self, selection: Selection) -> None:
        self.layout = selection.layout
        self.values = selection.values
        self.where = selection.where
        n_keys = len(self.layout.keys)
        columns = {name for value in self.values if not isinstance(value, str) for name in value.columns}
        columns |= {value for value in self.values[n_keys:] if isinstance(value, str)}
        encoded = [name for name in self.values[:n_keys] if isinstance(name, str) and name not in columns]
        self.rows = RowGroupReader(selection.dataset, selection.names, encoded)
        self.ts = selection.ts
        self.instants = RowGroupReader(selection.dataset, [] if self.ts is None else [self.ts])

    def batches(self, group: RowGroup) -> Iterator[Arrays]:
        """The rows of a row group; group columns may come as dictionaries."""
        for batch in self.rows.batches(group.file, group.number, count=group.count):
            yield self._arrays(batch if self.where is None else _filtered(batch, self.where))

    def is_rising(self, group: RowGroup) -> bool:
        """Whether the instants of a row group that is read in several batches never fall."""
        if self.ts is None:
            return False
        latest: int | None = None
        for batch in self.instants.batches(group.file, group.number, count=group.count):
            ts = as_int64(batch.column(0).drop_null())
            if ts.size:
                if (latest is not None and ts[0] < latest) or (ts[1:] < ts[:-1]).any():
                    return False
                latest = int(ts[-1])
        return True

    def _arrays(self, batch: pa.RecordBatch) -> Arrays:
        kinds = [*self.layout.keys.types, self.layout.ts_type, *self.layout.columns]
        n_keys = len(self.layout.keys)
        found = []
        for i, (value, kind) in enumerate(zip(self.values, kinds, strict=True)):
            array = batch.column(value) if isinstance(value, str) else value.evaluate(batch)
            is_key = i < n_keys and (pa.types.is_dictionary(array.type) or pa.types.is_string_view(array.type))
            found.append(array if is_key or array.type == kind else array.cast(kind))
        return Arrays(found[:n_keys], found[n_keys], found[n_keys + 1 :])


def _filtered(batch: pa.RecordBatch, where: Expression) -> pa.RecordBatch:
    """The rows on which a condition is true."""
    keep = where.evaluate(batch)
    if keep.true_count == batch.num_rows:
        return batch
    return pa.RecordBatch.from_arrays(_kept(batch.columns, keep), batch.schema.names)


def _kept(arrays: Sequence[pa.Array], keep: pa.BooleanArray) -> list[pa.Array]:
    """Those of the values at which `keep` is true; PyArrow does not filter views."""
    plain = (each.cast(pa.string()) if pa.types.is_string_view(each.type) else each for each in arrays)
    return [each.filter(keep) for each in plain]
