"""Brute force: threshold frames with a minimum, found row by row from their definition."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa


def threshold_frames(
    table: pa.Table,
    holds: Callable[[dict[str, Any]], bool],
    long_enough: Callable[[Any, Any, int], bool],
    *,
    ts: str,
    by: tuple[str, ...],
) -> list[dict[str, Any]]:
    """All maximal runs that are long enough, by group and start."""
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in table.to_pylist():
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    found = []
    for key in sorted(groups):
        rows = sorted(groups[key], key=lambda row: row[ts])
        run: list[Any] = []
        for row in [*rows, None]:
            if row is not None and holds(row):
                run.append(row[ts])
            elif run:
                if long_enough(run[0], run[-1], len(run)):
                    closed_by = "end of data" if row is None else "condition"
                    edges = {"frame_start": run[0], "frame_end": run[-1]}
                    counts = {"frame_rows": len(run), "frame_closed_by": closed_by}
                    found.append(dict(zip(by, key, strict=True)) | edges | counts)
                run = []
    return found
