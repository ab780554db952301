"""Values of groups: as text of one spelling, and as they are shown, whichever of a group's rows came first."""

from __future__ import annotations

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


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


def as_text(array: pa.Array) -> pa.Array:
    """The values as text or bytes, so that equal ones have equal bytes."""
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return array.view(pa.binary())
    if pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        return array.view(pa.large_binary())
    if pa.types.is_decimal(kind):
        return pc.cast(array, pa.string()).cast(pa.large_binary())
    return pa.array([_canonical(value).encode() for value in array.to_pylist()], pa.large_binary())


def _canonical(value: object) -> str:
    """One spelling for nested values, whatever zone an instant is shown in."""
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return f"@{(aware - _EPOCH).total_seconds():.6f}"
    if isinstance(value, date):
        return f"#{value.toordinal()}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_canonical(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_canonical(item) for item in value) + "]"
    return repr(value + 0.0) if isinstance(value, float) else repr(value)
