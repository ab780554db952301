"""The compiled scan by itself: rows in memory, one core, no Spark.

*scan* is the compiled loop on prepared inputs; *operator* is everything a bucket does with rows in order: nulls,
inputs, the loop, ids, and the frames as a table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import as_int64, fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.frames.operator import FrameOperator, FramePlan
from streamframes.core.frames.scanner import Scan
from streamframes.core.operator.table_bucket import RELEASE_ROWS
from streamframes.study.baselines.generated import rows_numbered
from streamframes.study.baselines.tasks import TASKS, Task

KEYS = (100, 1)
LIMIT = 100.0


@dataclass(frozen=True)
class Batch:
    """Rows of all keys for one feed, each key's in order."""

    groups: np.ndarray
    bounds: np.ndarray
    ts: np.ndarray
    value: pa.Array
    volume: pa.Array

    def rows(self, task: Task) -> Rows:
        """The rows with the one column that a task needs."""
        column = self.volume if task.name == "aggregate" else self.value
        sent = pc.greater(column, 0.5) if task.name == "threshold" else column
        return Rows(self.groups, self.bounds, self.ts, [sent])


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=20_000_000, rounds=5)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all schemes, scan and operator."""
    speeds: dict[tuple[str, int], tuple[float, float]] = {}
    for keys in KEYS:
        with console.status(f"making {options.rows:,} rows"):
            batches = list(batches_of(options.rows, keys))
        for task in TASKS:
            with console.status(f"{task.name}, {keys} keys"):
                rows = [batch.rows(task) for batch in batches]
                jobs = (_scan(task, rows, keys), _operator(task, rows, keys))
                scan, operator = (options.rows / _best(way, options.rounds) / 1e6 for way in jobs)
                speeds[task.name, keys] = scan, operator
    return Report(
        name="core",
        title="The compiled scan, one core, rows in memory",
        header=["task", "keys", "scan M rows/s", "operator M rows/s"],
        cells=[[task, str(keys), *(f"{speed:.0f}" for speed in both)] for (task, keys), both in speeds.items()],
        measurements=[
            {"task": task, "keys": keys, "scan_mrows_per_second": scan, "operator_mrows_per_second": operator}
            for (task, keys), (scan, operator) in speeds.items()
        ],
        targets=[
            Target(f"{task}, {_named(keys)}: scan on one core", ">=", LIMIT, scan, "M rows/s")
            for (task, keys), (scan, _) in speeds.items()
            if task != "boundary"
        ],
        settings={"rows": options.rows, "rounds": options.rounds, "rows a feed": RELEASE_ROWS},
    )


def batches_of(rows: int, keys: int) -> Iterator[Batch]:
    """Generated rows, as many at a time as a bucket releases, sorted by key and time."""
    for low in range(0, rows, RELEASE_ROWS):
        made = rows_numbered(np.arange(low, min(low + RELEASE_ROWS, rows)), keys, seed=low)
        table = made.append_column("group", pc.utf8_slice_codeunits(made["key"], 4).cast(pa.int64()))
        table = table.sort_by([("group", "ascending"), ("ts", "ascending")])
        groups, starts = np.unique(table["group"].to_numpy(), return_index=True)
        bounds = np.append(starts, table.num_rows)
        yield Batch(groups, bounds, as_int64(table["ts"]), table["value"], table["volume"])


def _scan(task: Task, rows: list[Rows], keys: int) -> Callable[[], object]:
    clock = Clock("timestamp")
    compiled, limits = task.scheme.compile(clock), task.scheme.limits(clock)
    prepared = [compiled.prepare(batch.columns) for batch in rows]

    def scan_all() -> None:
        scan = Scan(compiled, limits, wants_rows=False)
        for batch, x in zip(rows, prepared, strict=True):
            scan.feed(batch, x, keys)
        scan.finish()

    return scan_all


def _operator(task: Task, rows: list[Rows], keys: int) -> Callable[[], object]:
    names = pa.array([f"key-{number:03d}" for number in range(keys)])
    plan = FramePlan(
        scheme=task.scheme,
        clock=Clock("timestamp"),
        keys=pa.schema([("key", pa.string())]),
        ts_type=pa.timestamp("us", tz="UTC"),
        columns=(rows[0].columns[0].type,),
    )

    def frame_all() -> int:
        operator = FrameOperator(plan)
        operator.groups.numbers(*fingerprints([names], keys), pa.RecordBatch.from_arrays([names], schema=plan.keys))
        found = [frames for batch in rows for frames in operator.feed(batch)]
        return sum(frames.num_rows for frames in [*found, *operator.finish()])

    return frame_all


def _best(way: Callable[[], object], rounds: int) -> float:
    """The fastest of some rounds, after one that compiles."""
    way()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        way()
        times.append(time.perf_counter() - start)
    return min(times)


def _named(keys: int) -> str:
    return f"{keys} keys" if keys > 1 else "1 key"


if __name__ == "__main__":
    main()
