"""Frames beside other tools, every tool in the fastest form that is known of it: `make bench-peers`.

All read the same Parquet files and find the same frames, 20 and 100 million rows of 1, 100 and 100 000 keys.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from pyspark.sql import SparkSession
from rich.console import Console
from rich.progress import Progress

from benchmarks import memory
from benchmarks.kit.on_spark import start_session
from benchmarks.kit.report import Report, open_console, publish, save
from benchmarks.kit.rounds import Contender, Measurement, measure
from benchmarks.peers import chart as peer_chart
from benchmarks.peers import outside
from benchmarks.peers import report as peer_report
from benchmarks.peers.options import PeerOptions, parse
from benchmarks.peers.tools import SCAN, TOOLS, absent, chosen, contenders_of, scanned
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files

SECONDS_BETWEEN_LOOKS = 1.0


@dataclass
class Findings:
    """What has been seen so far."""

    measurements: list[Measurement] = field(default_factory=list)
    peaks: dict[tuple[int, int, str], float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    java: str | None = None

    def note(self, text: str) -> None:
        """What a reader should know, once."""
        if text not in self.notes:
            self.notes.append(text)

    def take(self, found: Sequence[Measurement | str]) -> None:
        """Measurements, and texts as notes."""
        for each in found:
            if isinstance(each, str):
                self.note(each)
            else:
                self.measurements.append(each)

    def report(self, options: PeerOptions) -> Report:
        """As it is now."""
        return peer_report.report_of(self.measurements, self.peaks, self.notes, options, self.java)


def main() -> None:
    """Measure, print, draw and save."""
    options = parse(__doc__ or "", [*(tool.short for tool in TOOLS), *outside.SHORT])
    console = open_console()
    found = run(options, console)
    publish(found.report(options), options.out, console)
    speeds = peer_report.speeds_of(found.measurements)
    keys = 100 if 100 in options.keys else options.keys[0]
    peer_chart.save(speeds, [task.name for task in options.tasks], keys, options.out, options.name)


def run(options: PeerOptions, console: Console) -> Findings:
    """All tables, the smallest first; what has been found is saved after each."""
    found = Findings(notes=absent(options))
    found.take(list(outside.measured_outside(options, console)))
    if SCAN in chosen(options):
        found.peaks |= dict(_held(options, console))
    spark = start_session() if any(tool.on_spark for tool in chosen(options)) else None
    try:
        found.java = spark_queries.java_version(spark) if spark else None
        for shape in (Shape(rows, keys) for rows in options.rows for keys in options.keys):
            found.take(_measured(shape, spark, options, found, console))
            save(found.report(options), options.out)
    finally:
        if spark:
            spark.stop()
    return found


def _measured(
    shape: Shape, spark: SparkSession | None, options: PeerOptions, so_far: Findings, console: Console
) -> list[Measurement | str]:
    paths = made(shape, options, console)
    speeds = peer_report.speeds_of(so_far.measurements)
    listed = list(contenders_of(shape, paths, spark, options, speeds))
    running = [each for each in listed if isinstance(each, Contender)]
    console.print(f"{shape.rows:,} rows, {shape.keys:,} keys: {len(running)} contenders", highlight=False)
    return [*(each for each in listed if isinstance(each, str)), *measure(running, options.rounds, console)]


def _held(options: PeerOptions, console: Console) -> Iterator[tuple[tuple[int, int, str], float]]:
    """The largest worker of each scan of the largest tables; every scan gets a session of its own."""
    for shape in (Shape(options.rows[-1], keys) for keys in options.keys):
        paths = made(shape, options, console)
        for task in options.tasks:
            console.print(f"memory: {task.name}, {shape.rows:,} rows, {shape.keys:,} keys", highlight=False)
            held = memory.framed(
                task, shape, lambda _, task=task, paths=paths: spark_queries.ours(task, scanned(paths))
            )
            yield (shape.rows, shape.keys, task.name), max(held.peaks, default=0.0)


def made(shape: Shape, options: PeerOptions, console: Console) -> list[str]:
    """The files of a table; while they are made, a bar shows how many of them there are."""
    with _growing(shape, options, console):
        return files(shape, options.cache)


@contextmanager
def _growing(shape: Shape, options: PeerOptions, console: Console) -> Iterator[None]:
    folder = options.cache / shape.name
    if folder.exists():
        yield
        return
    console.print(f"making {shape.rows:,} rows of {shape.keys:,} keys", highlight=False)
    done = threading.Event()
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("files", total=shape.files)

        def look() -> None:
            while not done.wait(SECONDS_BETWEEN_LOOKS):
                begun = len(list(folder.with_suffix(".unfinished").glob("*.parquet")))
                progress.update(bar, completed=max(0, begun - 1))

        watcher = threading.Thread(target=look, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
