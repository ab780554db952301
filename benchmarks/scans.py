"""Scans of files at 100 and 100,000 keys, of this checkout and of another one, in turns on the same files.

`python -m benchmarks.scans --against /path/to/checkout` starts a process for each checkout, with a Spark session of its
own. The processes take turns, so that whatever else the machine does falls on both; the best round of each counts, and
a ratio is this checkout's over the other's. Processor time is that of Spark and all its workers; it hardly depends on
what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import psutil
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
KEYS = (100, 100_000)
TASKS = ("threshold", "delta")
HERE, THERE = "here", "there"


class Measured(NamedTuple):
    """Seconds of the clock and of processors, and how many frames were found."""

    clock: float
    processors: float
    frames: int


class Checkout:
    """A process that scans with the library of a checkout."""

    def __init__(self, root: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYSPARK_PYTHON": sys.executable}
        command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def measured(self, task: str, paths: Sequence[str]) -> Measured:
        """A task on these files."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps([task, list(paths)]) + "\n")
        self._process.stdin.flush()
        return Measured(*json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate("")


def serve() -> None:
    """Answer each line, a task and files, by seconds and a number of frames; used in a process of its own."""
    import streamframes as sf

    schemes: dict[str, Any] = {
        "threshold": sf.Threshold("value > 0.8"),
        "delta": sf.Delta("value", ">", 0.5),
    }
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sf.session()
    for line in sys.stdin:
        task, paths = json.loads(line)
        begin, used = time.perf_counter(), _processor_time()
        frames = sf.frames(sf.scan(paths), schemes[task], ts="ts", by="key").toDF().count()
        answers.write(json.dumps([time.perf_counter() - begin, _processor_time() - used, frames]) + "\n")
        answers.flush()


def _processor_time() -> float:
    """What this process and all below it have used."""
    this = psutil.Process()
    times = (process.cpu_times() for process in [this, *this.children(recursive=True)])
    return sum(each.user + each.system for each in times)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    roots = {HERE: ROOT} | ({THERE: given.against.resolve()} if given.against else {})
    checkouts = {name: Checkout(root) for name, root in roots.items()}
    headings = [f"{what}, {name}" for what in ("clock", "processors") for name in checkouts]
    table = Table("keys", "task", *headings, "ratio, clock", "ratio, processors", "frames")
    for keys in KEYS:
        paths = _files(given.rows, keys)
        for task in TASKS:
            table.add_row(f"{keys:,}", task, *_row(checkouts, task, paths, given.rounds))
    for checkout in checkouts.values():
        checkout.end()
    Console(width=200).print(table)


def _files(rows: int, keys: int) -> list[str]:
    from benchmarks.kit.options import CACHE
    from streamframes.study.baselines.generated import Shape, files

    return files(Shape(rows, keys), CACHE)


def _row(checkouts: dict[str, Checkout], task: str, paths: Sequence[str], rounds: int) -> list[str]:
    """The seconds of each checkout in all rounds, the ratios, and the number of frames, which must be the same."""
    results: dict[str, list[Measured]] = {name: [] for name in checkouts}
    for turn in range(rounds + 1):
        for name, checkout in checkouts.items():
            measured = checkout.measured(task, paths)
            if turn:  # the first warms up
                results[name].append(measured)
    found = {each.frames for some in results.values() for each in some}
    if len(found) != 1:
        raise RuntimeError(f"{task}: the checkouts find {found} frames")
    clock, processors = ({name: [each[i] for each in some] for name, some in results.items()} for i in (0, 1))
    cells = [
        " ".join(f"{each:.2f}" for each in sorted(some)) for times in (clock, processors) for some in times.values()
    ]
    ratios = [f"{min(times[HERE]) / min(times[THERE]):.2f}" if THERE in times else "-" for times in (clock, processors)]
    return [*cells, *ratios, f"{found.pop():,}"]


if __name__ == "__main__":
    main()
