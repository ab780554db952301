"""Marks: the rows that fill frames as strokes in a picture, no more of them than it can show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.cli.io.outputs import quoted
from streamframes.cli.plots.stretches import in_group, tick_of

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.spark import DataFrame

MAX_MARKS = 2_000


@dataclass(frozen=True)
class Marks:
    """Rows, their instant, what they call the group columns of the frames, and how a legend names them."""

    rows: DataFrame
    ts: str
    by: Mapping[str, str]
    label: str

    def within(self, group: Mapping[str, str | None], low: int, high: int) -> pa.ChunkedArray:
        """The instants of a group's rows between two ticks, one of each stretch that a reader could tell apart."""
        chosen = {other: group[name] for name, other in self.by.items()}
        width = max(1, (high - low) // MAX_MARKS)
        return (
            self.rows.where(in_group(chosen))
            .selectExpr(f"{quoted(self.ts)} AS ts", f"{tick_of(self.rows, self.ts)} AS tick")
            .where(f"tick BETWEEN {low} AND {high}")
            .selectExpr("ts", f"(tick - {low}) DIV {width} AS stretch")
            .groupBy("stretch")
            .agg({"ts": "min"})
            .selectExpr("`min(ts)` AS ts")
            .toArrow()["ts"]
        )
