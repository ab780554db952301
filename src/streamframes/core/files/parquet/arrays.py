"""Rows as they were read, column by column."""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa


class Arrays(NamedTuple):
    """Group columns, instants, and what travels with them."""

    keys: list[pa.Array]
    ts: pa.Array
    columns: list[pa.Array]

    def filter(self, keep: pa.BooleanArray) -> Arrays:
        """The rows where `keep` holds."""
        keys, columns = ([each.filter(keep) for each in arrays] for arrays in (self.keys, self.columns))
        return Arrays(keys, self.ts.filter(keep), columns)

    def together(self, schema: pa.Schema) -> pa.RecordBatch:
        """All columns side by side, those of the groups without dictionaries."""
        keys = [key.cast(field.type) for key, field in zip(self.keys, schema, strict=True)]
        arrays = [*keys, self.ts, *self.columns]
        return pa.RecordBatch.from_arrays(arrays, [str(i) for i in range(len(arrays))])
