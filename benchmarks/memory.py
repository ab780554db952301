"""Memory: the most that any Python worker holds while a single key is framed, in order and shuffled.

Each framing gets a session, and so workers, of its own. Workers are watched from outside; where the system keeps
a process's peak itself (Linux), that is what counts, so that nothing between two looks is missed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import psutil
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

from benchmarks.kit.on_spark import start_session
from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import TASKS, Task

MIB = 2**20
LIMIT_MIB = 1024.0
SECONDS_BETWEEN_LOOKS = 0.05
SHUFFLED_SHARE = 5


@dataclass
class Watch:
    """The peak resident memory of every Python worker seen, by process number."""

    peaks: dict[int, int] = field(default_factory=dict)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        """Look until stopped, and once more then."""
        while not self.stopped.wait(SECONDS_BETWEEN_LOOKS):
            self.look()
        self.look()

    def look(self) -> None:
        """Note what all workers hold now."""
        for process in psutil.Process().children(recursive=True):
            try:
                if _is_worker(process):
                    held = max(process.memory_info().rss, peak_of(process.pid))
                    self.peaks[process.pid] = max(held, self.peaks.get(process.pid, 0))
            except (psutil.NoSuchProcess, psutil.AccessDenied, FileNotFoundError, ProcessLookupError):
                continue


def _is_worker(process: psutil.Process) -> bool:
    """Workers are forked from a daemon, or started one by one; the daemon itself sees no rows."""
    line, parent = process.cmdline(), process.parent()
    forked = parent is not None and "pyspark.daemon" in parent.cmdline()
    return "pyspark.worker" in line and (forked or "pyspark.daemon" not in line)


def peak_of(process: int) -> int:
    """What the system says the process has held at most, or 0 where it does not tell."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0
    lines = [line for line in status.read_text().splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) * 1024 if lines else 0


@contextmanager
def watching() -> Iterator[Watch]:
    """Watch the workers of this process for as long as the block runs."""
    watch = Watch()
    watcher = threading.Thread(target=watch.run, daemon=True)
    watcher.start()
    try:
        yield watch
    finally:
        watch.stopped.set()
        watcher.join()


@dataclass(frozen=True)
class Held:
    """What workers held during one framing."""

    task: str
    shape: Shape
    frames: int
    seconds: float
    peaks: list[float]

    @property
    def label(self) -> str:
        """Which framing it was."""
        return f"{self.task}, {self.shape.rows:,} rows{' shuffled' if self.shape.shuffled else ''}"


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=100_000_000, rounds=None)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all schemes on both tables."""
    found: list[Held] = []
    for shape in (Shape(options.rows, 1), Shape(options.rows // SHUFFLED_SHARE, 1, shuffled=True)):
        with console.status(f"making {shape.rows:,} rows"):
            paths = files(shape, options.cache)
        for task in TASKS:
            console.print(f"{task.name}, {shape.rows:,} rows{' shuffled' if shape.shuffled else ''}", highlight=False)
            found.append(framed(task, shape, partial(_by_table, task, paths)))
    return Report(
        name="memory",
        title="The most that Python workers hold, one key",
        header=["task", "rows", "order", "seconds", "workers", "MiB of the largest", "MiB of each"],
        cells=[_cells(held) for held in found],
        measurements=[
            {
                "task": held.task,
                "rows": held.shape.rows,
                "shuffled": held.shape.shuffled,
                "frames": held.frames,
                "seconds": held.seconds,
                "peak_mib_of_each_worker": held.peaks,
            }
            for held in found
        ],
        targets=[Target(f"{held.label}: largest worker", "<", LIMIT_MIB, max(held.peaks), "MiB") for held in found],
        settings={"rows": options.rows, "keys": 1},
    )


def _by_table(task: Task, paths: list[str], spark: SparkSession) -> DataFrame:
    return spark_queries.ours(task, spark.read.parquet(*paths))


def framed(task: Task, shape: Shape, find: Callable[[SparkSession], DataFrame]) -> Held:
    """What the workers of a new session held while they found the frames."""
    spark = start_session()
    try:
        with watching() as watch:
            start = time.perf_counter()
            frames = spark_queries.finish_counting(find(spark))
            seconds = time.perf_counter() - start
    finally:
        spark.stop()
    peaks = sorted((round(peak / MIB, 1) for peak in watch.peaks.values()), reverse=True)
    return Held(task.name, shape, frames, seconds, peaks)


def _cells(held: Held) -> list[str]:
    order = "none" if held.shape.shuffled else "time"
    each = ", ".join(f"{peak:.0f}" for peak in held.peaks)
    rows, seconds = f"{held.shape.rows:,}", f"{held.seconds:.1f}"
    return [held.task, rows, order, seconds, str(len(held.peaks)), f"{max(held.peaks):.0f}", each]


if __name__ == "__main__":
    main()
