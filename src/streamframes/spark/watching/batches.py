"""Batches: what the progress of a query says of one micro-batch, in whatever form it comes.

A listener of a classic session, the progress that a query is asked for, and Spark Connect each write the same figures
in a form of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, TypeAlias

from pyspark.sql import Row
from pyspark.sql.streaming.query import StreamingQuery

from streamframes.spark.watching.figures import Watermark

# A progress, and figures by name, as Spark writes them.
Written: TypeAlias = "Mapping[str, Any]"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WATERMARKS = ("released_before", "released_micros", "released_days")


@dataclass(frozen=True)
class Batch:
    """One micro-batch of a query: when it ran, how fast, and its figures."""

    id: str
    run: str
    query: str
    number: int
    at: datetime | None
    watermark: Watermark
    newest: datetime | None
    figures: Mapping[str, int | float]
    input_rows: int
    rows_per_second: float
    seconds: float
    state_bytes: int
    state_rows: int


def progress_until_end(query: StreamingQuery) -> Iterator[Written]:
    """The progress of each micro-batch, once, when it is done; raises what ended the query."""
    latest, ended = -1, False
    while not ended:
        ended = bool(query.awaitTermination(0.2))  # type: ignore[arg-type]  # seconds may be a fraction
        for progress in query.recentProgress:
            if progress["batchId"] > latest:
                latest = progress["batchId"]
                yield progress


def batch_of(progress: Written) -> Batch | None:
    """The micro-batch that a progress is about; None of one that says that nothing was done."""
    durations = progress["durationMs"] or {}
    if "addBatch" not in durations:
        return None
    stages = _stages(progress)
    times = progress["eventTime"] or {}
    states = progress["stateOperators"] or ()
    return Batch(
        id=str(progress["id"]),
        run=str(progress["runId"]),
        query=progress["name"] or str(progress["id"]),
        number=int(progress["batchId"]),
        at=_instant(progress["timestamp"]),
        watermark=_watermark(stages, times),
        newest=_instant(times.get("max")),
        figures=_added(stages),
        input_rows=int(progress["numInputRows"] or 0),
        rows_per_second=_finite(progress["processedRowsPerSecond"]),
        seconds=durations.get("triggerExecution", durations["addBatch"]) / 1000,
        state_bytes=sum(int(state["memoryUsedBytes"]) for state in states),
        state_rows=sum(int(state["numRowsTotal"]) for state in states),
    )


def figures_of(progress: Written) -> dict[str, int | float]:
    """The figures of a micro-batch by name; empty where it has none."""
    return _added(_stages(progress))


def _stages(progress: Written) -> list[Written]:
    """The figures of each stage of ours."""
    return [_values(row) for name, row in progress["observedMetrics"].items() if name.startswith("streamframes")]


def _values(row: Row) -> Written:
    """The figures by name. In the progress that a Connect query is asked for, names and values are apart."""
    values: Written = row.asDict()
    if values.keys() == {"values", "schema"}:
        return dict(zip((each["name"] for each in values["schema"]["fields"]), values["values"], strict=True))
    return values


def _added(stages: list[Written]) -> dict[str, int | float]:
    """The figures of all stages of the query."""
    found: dict[str, int | float] = {}
    for stage in stages:
        for name, value in stage.items():
            if name not in _WATERMARKS:
                found[name] = found.get(name, 0) + (value or 0)
    return found


def _watermark(stages: list[Written], times: Mapping[str, str]) -> Watermark:
    """The one of the stage that is furthest behind; that of Spark where no stage is ours."""
    if not stages:
        spark = _instant(times.get("watermark"))
        return None if spark == _EPOCH else spark
    found = [_released(stage) for stage in stages]
    return None if None in found else min(found)  # type: ignore[type-var]  # one query has one type of `ts`


def _released(stage: Written) -> Watermark:
    if (micros := stage.get("released_micros")) is not None:
        return _EPOCH + timedelta(microseconds=micros)
    if (days := stage.get("released_days")) is not None:
        return date(1970, 1, 1) + timedelta(days=days)
    number = stage.get("released_before")
    return number if isinstance(number, int) else None


def _instant(text: str | None) -> datetime | None:
    """An instant of the progress; None of one that is beyond the year 9999: an integer that was moved there."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _finite(value: float | None) -> float:
    return float(value) if value is not None and value == value and abs(value) < float("inf") else 0.0
