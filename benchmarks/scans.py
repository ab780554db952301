"""Scans of files at 100 and 100,000 keys, of this checkout and of another one, in turns on the same files.

`python -m benchmarks.scans --against /path/to/checkout` starts a process for each checkout, with a Spark session of its
own. The processes take turns, so that whatever else the machine does falls on both; the best round of each counts, and
a ratio is this checkout's over the other's. Processor time is that of Spark and all its workers; it depends less on
what else the machine does. `--files spark` scans the same rows as Spark writes them by default: instants as INT96,
without statistics, a file as one row group.
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
from typing import TYPE_CHECKING, Any, NamedTuple

import psutil
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from benchmarks.kit.report import Report

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
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--files", choices=("pyarrow", "spark"), default="pyarrow", help="who writes them")
    parser.add_argument("--out", type=Path, help="where the results go (default: benchmarks/results)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve()
        return
    from benchmarks.kit.options import RESULTS
    from benchmarks.kit.report import open_console, publish

    roots = {HERE: ROOT} | ({THERE: given.against.resolve()} if given.against else {})
    publish(_report(roots, given), given.out or RESULTS, open_console())


def _report(roots: dict[str, Path], given: argparse.Namespace) -> Report:
    from benchmarks.kit.report import Report

    checkouts = {name: Checkout(root) for name, root in roots.items()}
    cells, measurements = [], []
    for keys in KEYS:
        paths = _files(given.rows, keys, given.files)
        for task in TASKS:
            results = _results(checkouts, task, paths, given.rounds)
            cells.append([f"{keys:,}", task, *_figures(results)])
            measurements += [
                {"keys": keys, "task": task, "checkout": name, **each._asdict()}
                for name, some in results.items()
                for each in some
            ]
    for checkout in checkouts.values():
        checkout.end()
    headings = [f"{what}, {name}" for what in ("clock", "processors") for name in checkouts]
    return Report(
        name="scans",
        title="Scans of files, and beside them those of another checkout" if THERE in roots else "Scans of files",
        header=["keys", "task", *headings, "ratio, clock", "ratio, processors", "frames"],
        cells=cells,
        measurements=measurements,
        targets=[],
        settings={"rows": given.rows, "rounds": given.rounds, "files written as by": given.files},
        notes=["Seconds of each round, the least first; ratios are of the least. Checkouts took turns."],
        saved_as="scans" if given.files == "pyarrow" else f"scans-{given.files}",
    )


def _files(rows: int, keys: int, writer: str) -> list[str]:
    from benchmarks.kit.options import CACHE
    from streamframes.study.baselines.generated import Shape, files

    shape = Shape(rows, keys)
    paths = files(shape, CACHE)
    if writer == "pyarrow":
        return paths
    folder = CACHE / f"{shape.name}-as-spark"
    folder.mkdir(exist_ok=True)
    copies = [folder / Path(path).name for path in paths]
    for path, copy in zip(paths, copies, strict=True):
        if not copy.exists():
            table, unfinished = pq.read_table(path), copy.with_suffix(".unfinished")
            options: dict[str, Any] = {"use_deprecated_int96_timestamps": True, "store_schema": False}
            pq.write_table(table, unfinished, row_group_size=table.num_rows, **options)
            unfinished.rename(copy)
    return list(map(str, copies))


def _results(checkouts: dict[str, Checkout], task: str, paths: Sequence[str], rounds: int) -> dict[str, list[Measured]]:
    """What each checkout takes in all rounds; all must find the same number of frames."""
    results: dict[str, list[Measured]] = {name: [] for name in checkouts}
    for turn in range(rounds + 1):
        for name, checkout in checkouts.items():
            measured = checkout.measured(task, paths)
            if turn:  # the first warms up
                results[name].append(measured)
    found = {each.frames for some in results.values() for each in some}
    if len(found) != 1:
        raise RuntimeError(f"{task}: the checkouts find {found} frames")
    return results


def _figures(results: dict[str, list[Measured]]) -> list[str]:
    """The seconds of each checkout in all rounds, the ratios, and the number of frames."""
    clock, processors = ({name: [each[i] for each in some] for name, some in results.items()} for i in (0, 1))
    cells = [
        " ".join(f"{each:.2f}" for each in sorted(some)) for times in (clock, processors) for some in times.values()
    ]
    ratios = [f"{min(times[HERE]) / min(times[THERE]):.2f}" if THERE in times else "-" for times in (clock, processors)]
    return [*cells, *ratios, f"{results[HERE][0].frames:,}"]


if __name__ == "__main__":
    main()
