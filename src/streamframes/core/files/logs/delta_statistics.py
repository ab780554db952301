"""Statistics of Delta tables: what the log says of the values of a column in each file.

Writers cut instants down to milliseconds and write decimals as doubles; what they say is widened by as much. Texts that
are cut are cut to bounds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.files.parquet.bounds import Bounds, decimals_beyond, statistics, widened

_MILLISECOND = 1000


@dataclass(frozen=True)
class DeltaStatistics:
    """The files of a version as `deltalake` lists them, with statistics under the names that columns have in files."""

    actions: pa.Table
    stored: Mapping[str, str]

    def __call__(self, name: str, kind: pa.DataType) -> Bounds | None:
        """The bounds of a column in each file; None where the log has none."""
        low, high, n_nulls = (self._part(what, self.stored[name]) for what in ("min", "max", "null_count"))
        n_rows = self.actions.column("num_records").combine_chunks()
        nulls = np.asarray(pc.not_equal(n_nulls, 0).fill_null(True)) if n_nulls is not None else self._all
        values = np.asarray(pc.not_equal(n_nulls, n_rows).fill_null(True)) if n_nulls is not None else self._all
        if low is None or high is None or low.type != kind or high.type != kind:
            low = high = pa.nulls(len(n_rows), kind)
        if pa.types.is_timestamp(kind):
            low, high = widened(low, -_MILLISECOND), widened(high, _MILLISECOND)
        if pa.types.is_decimal(kind):
            low, high = decimals_beyond(low, -1), decimals_beyond(high, 1)
        return statistics(low, high, nulls, values)

    @property
    def _all(self) -> np.ndarray:
        return np.ones(self.actions.num_rows, np.bool_)

    def _part(self, what: str, name: str) -> pa.Array | None:
        """A column of one of the structs that `deltalake` gives; None where it has none of that name."""
        if what not in self.actions.column_names:
            return None
        struct = self.actions.column(what).combine_chunks()
        if isinstance(struct, pa.ChunkedArray):
            struct = pa.concat_arrays(struct.chunks) if struct.num_chunks else pa.array([], struct.type)
        names = [each.name for each in struct.type]
        return pc.struct_field(struct, [names.index(name)]) if names.count(name) == 1 else None
