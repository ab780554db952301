"""Values: what rows bring to a search, as doubles; what cannot be searched is refused by name."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.bursts.batch import Fed
from streamframes.core.bursts.exact.sums import WHOLE
from streamframes.core.bursts.plan import EXACT, BurstSpec
from streamframes.errors import StreamFramesError

_LARGEST, _LARGEST_SQUARED = 1e300, 1e145


def numbers_of(rows: Rows, plan: BurstSpec) -> tuple[Fed, np.ndarray]:
    """The values of rows, and their instants; rows without a value are left out, a count takes them for 0."""
    column = rows.columns[plan.n_ties]
    if pa.types.is_boolean(column.type):
        values = column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.float64)
        return Fed(rows.groups, rows.bounds, values), rows.ts
    absent = column.is_null(nan_is_null=pa.types.is_floating(column.type))
    if absent.true_count:
        rows = rows.filter(~absent.to_numpy(zero_copy_only=False))
        column = rows.columns[plan.n_ties]
    if pa.types.is_integer(column.type):
        _check_whole(column)
    values = np.array(column.to_numpy(zero_copy_only=False), np.float64)
    _check(values, plan)
    return Fed(rows.groups, rows.bounds, values), rows.ts


def _check_whole(column: pa.Array) -> None:
    whole = column.to_numpy(zero_copy_only=False)
    beyond = np.flatnonzero((whole > WHOLE) | (whole < -WHOLE))
    if beyond.size:
        raise StreamFramesError(
            f"bursts() met the value {whole[beyond[0]]}, a whole number beyond 2^53, which cannot be summed exactly; "
            "scale it, or let it be rounded with cast(... as double)"
        )


def _check(values: np.ndarray, plan: BurstSpec) -> None:
    if not values.size:
        return
    largest = _LARGEST_SQUARED if plan.agg == "variance" else _LARGEST
    most = np.abs(values).max()
    if not most <= largest:
        raise StreamFramesError(
            f"bursts() met the value {most}, beyond {largest:g}, of which no {plan.agg} can be told; filter such rows"
        )
    if plan.search != EXACT and values.min() < 0:
        raise StreamFramesError(
            f"bursts() met the value {values.min()}, but search={plan.search!r} needs values that are not negative; "
            "use search='exact', which takes any"
        )
