"""Regions as rows of Arrow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex, mix
from streamframes.core.batch.rows import CLOSED_BY, typed
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.plan import RegionSpec
from streamframes.core.regions.types import Emission, Regions


@compiled
def _ids(salt: Any, group: Any, start: Any, identity: Any, out: Any) -> None:
    for i in range(start.size):
        value = mix(mix(salt ^ group) + np.uint64(start[i]))
        for k in range(identity.shape[1]):
            value = mix(value * np.uint64(3) + np.uint64(identity[i, k]))
        out[i] = np.int64(value)


class RegionBatches:
    """Makes batches of the columns of a plan."""

    def __init__(self, plan: RegionSpec) -> None:
        self.plan = plan
        self.schema = plan.frame_schema

    def batch(self, groups: GroupIndex, group: int, emission: Emission) -> pa.RecordBatch:
        """Regions of one group."""
        plan, (regions, fragments, final), size = self.plan, emission, len(emission.regions)
        columns: Mapping[str, np.ndarray | pa.Array] = {
            "id": self._ids(groups.first[group], regions),
            "start": typed(pa.array(regions.start), plan.ts_type),
            "end": typed(pa.array(regions.end), plan.ts_type),
            "rows": regions.rows,
            "places": regions.places,
            "closed_by": pa.array(CLOSED_BY).take(pa.array(regions.cause)) if final else pa.nulls(size, pa.string()),
            "imputed": regions.imputed,
            "fragment": fragments,
            "final": np.full(size, final),
            **regions.more,
        }
        named = {f"{plan.prefix}{name}": values for name, values in columns.items()}
        keys = groups.values(np.full(size, group))
        named |= dict(zip(plan.keys.names, keys, strict=True))
        for d, (low, high) in enumerate(plan.edge_names()):
            named[low], named[high] = regions.low[:, d], regions.high[:, d]
        return pa.RecordBatch.from_arrays(
            [_as(named[field.name], field.type) for field in self.schema], schema=self.schema
        )

    def _ids(self, group: np.uint64, regions: Regions) -> np.ndarray:
        """A hash of group, start and identity."""
        out = np.empty(len(regions), np.int64)
        identity = np.ascontiguousarray(regions.identity).view(np.int64)
        _ids(np.uint64(self.plan.salt), np.uint64(group), regions.start, identity, out)
        return out


def _as(values: np.ndarray | pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers or Arrow values as a column of a type."""
    array = values if isinstance(values, pa.Array) else pa.array(values)
    if pa.types.is_list(kind) and array.type != kind:
        struct = array.values
        parts = [typed(struct.field(i), kind.value_type.field(i).type) for i in range(kind.value_type.num_fields)]
        inner = pa.StructArray.from_arrays(parts, fields=[kind.value_type.field(i) for i in range(len(parts))])
        return pa.ListArray.from_arrays(array.offsets, inner, type=kind)
    return array if array.type == kind else array.cast(kind)
