"""Threshold tables: thresholds by group that were learnt before, read when a search is planned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import as_int64, fingerprints, number_groups
from streamframes.core.bursts.arguments import Window, threshold_of, windows_of
from streamframes.core.bursts.thresholds import GroupTable
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import arrow_type, column, whole_array


def read_thresholds(
    thresholds: DataFrame,
    rows: DataFrame,
    by: Sequence[str],
    windows: Iterable[Window] | None,
    unit: int | None,
    clock: Clock,
) -> tuple[tuple[int, ...], GroupTable]:
    """The windows, and a threshold for each of them and each group of the table."""
    if thresholds.isStreaming:
        raise InvalidArgument("bursts() got a stream of thresholds; change them while it runs with control=")
    wanted = [*by, "window", "threshold"]
    missing = [name for name in wanted if name not in thresholds.columns]
    if missing:
        raise InvalidArgument(
            f"bursts() got a table of thresholds without {missing[0]!r}; it has {', '.join(thresholds.columns)} and "
            f"needs {', '.join(wanted)}, as Bursts.learnt() writes them"
        )
    kinds = {name: rows.schema[name].dataType for name in by}
    chosen = [column(name).cast(kinds[name]) for name in by]
    chosen += [column("window").cast("long"), column("threshold").cast("double")]
    table = thresholds.select(*(each.alias(name) for name, each in zip(wanted, chosen, strict=True))).toArrow()
    if table["window"].null_count or table["threshold"].null_count:
        raise InvalidArgument(
            "bursts() got a table of thresholds in which a window or a threshold is null; drop the row"
        )
    table = table.combine_chunks()
    length = as_int64(whole_array(table["window"]))
    lengths = windows_of(np.unique(length).tolist() if windows is None else windows, unit, clock)
    keys = [whole_array(table[name]).cast(arrow_type(kinds[name])) for name in by]
    return lengths, _by_group(keys, length, whole_array(table["threshold"]).to_numpy(), lengths)


def _by_group(keys: list[pa.Array], length: np.ndarray, threshold: np.ndarray, lengths: tuple[int, ...]) -> GroupTable:
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
