"""Threshold tables: thresholds by group that were learnt before, one row for each group and window."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import as_int64, fingerprints, number_groups
from streamframes.core.bursts.arguments import threshold_of
from streamframes.core.bursts.thresholds import GroupTable
from streamframes.errors import InvalidArgument


def windows_in(length: pa.Array) -> list[int]:
    """The windows that a table has thresholds for."""
    _check_nulls(length)
    windows: list[int] = np.unique(as_int64(length)).tolist()
    return windows


def group_table(
    keys: Sequence[pa.Array], length: pa.Array, threshold: pa.Array, lengths: tuple[int, ...]
) -> GroupTable:
    """A threshold for each of the windows and each group of the table."""
    _check_nulls(length)
    _check_nulls(threshold)
    return _by_group(keys, as_int64(length), threshold.to_numpy(zero_copy_only=False), lengths)


def _check_nulls(column: pa.Array) -> None:
    if column.null_count:
        raise InvalidArgument(
            "bursts() got a table of thresholds in which a window or a threshold is null; drop the row"
        )


def _by_group(
    keys: Sequence[pa.Array], length: np.ndarray, threshold: np.ndarray, lengths: tuple[int, ...]
) -> GroupTable:
    """Thresholds with a line for each group; every group must have one for each window."""
    first, second = fingerprints(keys, length.size)
    codes, seen = number_groups(first, second)
    _check_numbers(length, threshold)
    found = np.full((seen.size, len(lengths)), np.nan)
    place = np.searchsorted(lengths, length)
    known = place < len(lengths)
    known[known] = np.array(lengths)[place[known]] == length[known]
    cells = codes[known] * len(lengths) + place[known]
    if np.unique(cells).size < cells.size:
        raise InvalidArgument(
            "bursts() got a table of thresholds with two for one window of one group; keep one of them"
        )
    found[codes[known], place[known]] = threshold[known]
    gaps = np.argwhere(np.isnan(found))
    if gaps.size:
        line, window = gaps[0].tolist()
        group = ", ".join(str(key[int(seen[line])].as_py()) for key in keys) or "the only group"
        raise InvalidArgument(
            f"bursts() got a table of thresholds without one for the window {lengths[window]} of {group}; "
            "every group needs one for each of windows="
        )
    return GroupTable(first[seen], second[seen], found)


def _check_numbers(length: np.ndarray, threshold: np.ndarray) -> None:
    """Refuse thresholds that are no numbers."""
    for at in np.flatnonzero(~np.isfinite(threshold)).tolist():
        threshold_of(float(threshold[at]), int(length[at]))
