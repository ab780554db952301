"""The record: the last figures of each query and the micro-batches so far, whoever brings them and however often."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import replace
from threading import Lock

import pyarrow as pa

from streamframes.spark.watching.batches import Batch, Written, batch_of
from streamframes.spark.watching.figures import ACTIVE, FAILED, IDLE, STOPPED, Figures, instant_of

# The figures that count what one micro-batch did; the others say what is so after it.
COUNTED = (
    "late_rows",
    "results",
    "fragments",
    "duplicate_reports",
    "amending_rows",
    "fill_late_rows",
    "null_keys",
    "unmatched_closes",
    "refused_commands",
)
_OWN = ("open_frames", "waiting_rows", "groups", "late_rows", "results", "fragments")
# How many batches of a query are known by their number, to take each once.
_KNOWN = 10_000
_HISTORY = pa.schema(
    [
        ("query", pa.string()),
        ("id", pa.string()),
        ("run", pa.string()),
        ("batch", pa.int64()),
        ("at", pa.timestamp("us", "UTC")),
        ("watermark", pa.timestamp("us", "UTC")),
        ("watermark_number", pa.int64()),
        ("newest", pa.timestamp("us", "UTC")),
        *((name, pa.int64()) for name in _OWN),
        ("input_rows", pa.int64()),
        ("rows_per_second", pa.float64()),
        ("batch_seconds", pa.float64()),
        ("state_bytes", pa.int64()),
        ("state_rows", pa.int64()),
    ]
)


class Record:
    """What has been seen of queries; threads of listeners and of readers share it."""

    def __init__(self, history: int) -> None:
        self._lock = Lock()
        self._figures: dict[str, Figures] = {}
        self._history: deque[Batch] = deque(maxlen=history)
        self._seen: dict[str, deque[tuple[str, int]]] = {}

    def take(self, progress: Written) -> bool:
        """Take a progress, which may have come before; returns whether the batch before it is known."""
        number, run, name = int(progress["batchId"]), str(progress["runId"]), str(progress["id"])
        batch = batch_of(progress)
        with self._lock:
            seen = self._seen.setdefault(name, deque(maxlen=_KNOWN))
            follows = number == 0 or (run, number - 1) in seen
            before = self._figures.get(name, Figures(progress["name"] or name, name))
            if batch is None:
                self._figures[name] = replace(before, state=IDLE) if before.state == ACTIVE else before
            elif (run, number) not in seen:
                seen.append((run, number))
                self._history.append(batch)
                self._figures[name] = _after(before, batch)
        return follows

    def started(self, number: str, name: str | None) -> None:
        """A query has started, perhaps anew."""
        self._set(number, name, state=ACTIVE)

    def idle(self, number: str) -> None:
        """A query waits for data."""
        self._set(number, None, state=IDLE)

    def ended(self, number: str, error: str | None) -> None:
        """A query has ended, with an error or without."""
        self._set(number, None, STOPPED if error is None else FAILED, error)

    def figures(self) -> list[Figures]:
        """The last figures of each query."""
        with self._lock:
            return list(self._figures.values())

    def history(self) -> pa.Table:
        """The batches so far, those of a query in their order."""
        with self._lock:
            batches = sorted(self._history, key=lambda each: (each.query, str(each.at), each.number))
        kinds: dict[str, set[type]] = {}
        for each in batches:
            for name in each.figures.keys() - set(_OWN):
                kinds.setdefault(name, set()).add(type(each.figures[name]))
        others = [(name, pa.int64() if kinds[name] == {int} else pa.float64()) for name in sorted(kinds)]
        schema = pa.schema([*_HISTORY, *others])
        return pa.Table.from_pylist(list(_rows(batches)), schema)

    def _set(self, number: str, name: str | None, state: str, error: str | None = None) -> None:
        with self._lock:
            before = self._figures.get(number, Figures(name or number, number))
            self._figures[number] = replace(before, state=state, error=error or before.error)


def _after(before: Figures, batch: Batch) -> Figures:
    """The figures after a batch; one that comes late is counted, and changes nothing else."""
    found = batch.figures
    counted = {name: found[name] for name in COUNTED if name in found}
    others = {**before.others}
    for name in counted.keys() - set(_OWN):
        others[name] = others.get(name, 0) + counted[name]
    totals = {
        "late_rows": before.late_rows + int(found.get("late_rows", 0)),
        "results": before.results + int(found.get("results", 0)),
        "fragments": before.fragments + int(found.get("fragments", 0)),
        "input_rows": before.input_rows + batch.input_rows,
        "batches": before.batches + 1,
        "newest": max((each for each in (before.newest, batch.newest) if each is not None), default=None),
    }
    if before.at is not None and batch.at is not None and batch.at < before.at:
        return replace(before, others=others, **totals)  # type: ignore[arg-type]
    others |= {name: value for name, value in found.items() if name not in (*_OWN, *COUNTED)}
    return replace(
        before,
        query=batch.query,
        state=ACTIVE if before.state == IDLE else before.state,
        batch=batch.number,
        at=batch.at,
        watermark=batch.watermark if batch.watermark is not None else before.watermark,
        open_frames=int(found.get("open_frames", 0)),
        waiting_rows=int(found.get("waiting_rows", 0)),
        groups=int(found.get("groups", 0)),
        state_bytes=batch.state_bytes,
        state_rows=batch.state_rows,
        rows_per_second=batch.rows_per_second,
        batch_seconds=batch.seconds,
        others=others,
        **totals,  # type: ignore[arg-type]
    )


def _rows(batches: Iterable[Batch]) -> Iterable[dict[str, object]]:
    for batch in batches:
        yield {
            **batch.figures,
            "query": batch.query,
            "id": batch.id,
            "run": batch.run,
            "batch": batch.number,
            "at": batch.at,
            "watermark": instant_of(batch.watermark),
            "watermark_number": batch.watermark if isinstance(batch.watermark, int) else None,
            "newest": batch.newest,
            "input_rows": batch.input_rows,
            "rows_per_second": batch.rows_per_second,
            "batch_seconds": batch.seconds,
            "state_bytes": batch.state_bytes,
            "state_rows": batch.state_rows,
        }
