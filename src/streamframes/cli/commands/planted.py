"""Planted episodes: what the demos look for, and how what they find is compared with the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.cli.terminal import say
from streamframes.errors import StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

WHERE, MIN_DURATION = "drop_pct > 0.3", "2 minutes"
_TRUTH = ("router", "frame_start", "frame_end", "frame_rows", "frame_closed_by")


def compare(found: pa.Table, truth: pa.Table, *, which: str = "that were planted") -> None:
    """Say how many of the planted episodes were found; anything but all of them is a failure."""
    planted, frames = _as_set(truth), _as_set(found)
    exact, other = len(planted & frames), len(frames - planted)
    if exact < len(planted) or other:
        raise StreamFramesError(f"found {exact} of {len(planted)} planted episodes, and {other} that were not planted")
    say(
        f"[green]Found all {exact:,} of the {len(planted):,} episodes {which}, exactly[/green] "
        "(router, start, end and rows), and nothing else."
    )


def _as_set(table: pa.Table) -> set[tuple[object, ...]]:
    return {tuple(row.values()) for row in table.select(_TRUTH).to_pylist()}
