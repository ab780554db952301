"""Values of groups: as they are shown, whichever of a group's rows came first."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def with_one_zero(array: pa.Array) -> pa.Array:
    """The same values with 0.0 in the place of -0.0, as both are one group; within structs and lists too."""
    kind = array.type
    if pa.types.is_floating(kind):
        return pc.add(array, pa.scalar(0.0, kind))
    if not _has_floats(kind):
        return array
    if pa.types.is_struct(kind):
        return pa.StructArray.from_arrays(
            [with_one_zero(child) for child in array.flatten()], fields=list(kind), mask=array.is_null()
        )
    if pa.types.is_list(kind):
        items = with_one_zero(array.flatten())
        lengths = np.cumsum(pc.fill_null(pc.list_value_length(array), 0), dtype=np.int32)
        offsets = pa.array(np.concatenate([np.zeros(1, np.int32), lengths]))
        return pa.ListArray.from_arrays(offsets, items, type=kind, mask=array.is_null())
    return array


def _has_floats(kind: pa.DataType) -> bool:
    return pa.types.is_floating(kind) or any(_has_floats(kind.field(i).type) for i in range(kind.num_fields))
