"""Figures: what is known of a query at its last micro-batch, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from types import MappingProxyType
from typing import TypeAlias

# The watermark in the type of `ts`: an instant, of a zone-less one as if in UTC, a day, or a number.
Watermark: TypeAlias = datetime | date | int | None

ACTIVE, IDLE, STOPPED, FAILED = "active", "idle", "stopped", "failed"


@dataclass(frozen=True, repr=False)
class Figures:
    """What is known of a query at its last micro-batch; `print()` shows it as a table.

    Parameters
    ----------
    query
        Its name, or its id where it has none.
    state
        `"active"`, `"idle"` (it waits for data), `"stopped"` or `"failed"`.
    batch, at
        The number of its last micro-batch, and when that began.
    watermark
        All rows before this instant have been released; a datetime in UTC, a date or an integer, as `ts` is.
    newest
        The newest row so far, of the first stream that has a watermark; None where `ts` is an integer.
    open_frames, waiting_rows, groups
        What is kept, after that batch.
    late_rows, results, fragments, input_rows, batches
        What has passed since the watch began: rows that were late, rows that were reported, those of them that are
        fragments of frames that go on, rows that were read, and micro-batches.
    state_bytes, state_rows
        The size of the state, as Spark counts it: memory, and records of all kinds.
    rows_per_second, batch_seconds
        How fast the last batch was, and how long it took.
    error
        The reason why it failed last.
    others
        The further figures of operators: `fill_waiting_rows`, `null_keys`, `duplicate_reports`.
    """

    query: str
    id: str = ""
    state: str = ACTIVE
    batch: int | None = None
    at: datetime | None = None
    watermark: Watermark = None
    newest: datetime | None = None
    open_frames: int = 0
    waiting_rows: int = 0
    groups: int = 0
    late_rows: int = 0
    results: int = 0
    fragments: int = 0
    input_rows: int = 0
    batches: int = 0
    state_bytes: int = 0
    state_rows: int = 0
    rows_per_second: float = 0.0
    batch_seconds: float = 0.0
    error: str | None = None
    others: Mapping[str, int | float] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def behind_newest(self) -> float | None:
        """How many seconds the watermark is behind the newest row."""
        reached = instant_of(self.watermark)
        return None if reached is None or self.newest is None else (self.newest - reached).total_seconds()

    @property
    def behind_now(self) -> float | None:
        """How many seconds the watermark is behind the clock of this machine, at this moment."""
        reached = instant_of(self.watermark)
        return None if reached is None else (datetime.now(UTC) - reached).total_seconds()

    def __repr__(self) -> str:
        batch = "no batch yet" if self.batch is None else f"batch {self.batch}"
        lines = [f"query {self.query}: {self.state}, {batch}"]
        if self.error is not None:
            lines.append(f"  error           {self.error}")
        shown: dict[str, object] = {
            "watermark": self._watermark(),
            "open frames": self.open_frames,
            "waiting rows": self.waiting_rows,
            "groups": self.groups,
            "late rows": self.late_rows,
            "results": f"{self.results:,}, {self.fragments:,} of them fragments",
            "input rows": self.input_rows,
            "state": f"{self.state_rows:,} records, {self.state_bytes / 1e6:.1f} MB",
            "last batch": f"{self.batch_seconds:.1f} s, {self.rows_per_second:,.0f} rows a second",
            **{name.replace("_", " "): value for name, value in self.others.items()},
        }
        lines += [f"  {name:<15} {_text(value)}" for name, value in shown.items()]
        return "\n".join(lines)

    def _watermark(self) -> str:
        if self.watermark is None:
            return "none yet"
        behind = self.behind_newest
        return f"{self.watermark}" + ("" if behind is None else f", {behind:,.0f} s behind the newest row")


def instant_of(watermark: Watermark) -> datetime | None:
    """A watermark as an instant; None where it is a number.

    >>> instant_of(date(2026, 1, 5)).isoformat()
    '2026-01-05T00:00:00+00:00'
    """
    if isinstance(watermark, datetime):
        return watermark
    return datetime.combine(watermark, time(), UTC) if isinstance(watermark, date) else None


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)
