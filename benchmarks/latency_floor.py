"""What a micro-batch costs that brings next to nothing, of this checkout and of another one, in turns.

`python -m benchmarks.latency_floor --against /path/to/checkout` starts a process for each checkout, with a Spark
session of its own. Each runs a stream of Threshold frames over files: first some with rows, then so many without a row,
then so many with ten rows. A round runs all of them in a new query; the processes take turns, so that whatever else the
machine does falls on both. The median of a kind counts, and of the rounds the least. Processor time is that of Spark
and all its workers in a round, by micro-batch; it depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from benchmarks.kit.report import Report

ROOT = Path(__file__).resolve().parents[1]
HERE, THERE = "here", "there"
EMPTY, SHORT = "no rows", "10 rows"
KINDS = {EMPTY: 0, SHORT: 10}
# The first batches start workers and compile.
WARM_UP, ROWS_OF_WARM_UP = 4, 1_000
STAGES = ("latestOffset", "getBatch", "queryPlanning", "walCommit", "addBatch", "commitBatch", "commitOffsets")


class Checkout:
    """A process that runs a stream with the library of a checkout."""

    def __init__(self, root: Path, partitions: int | None) -> None:
        environment = {**os.environ, "PYTHONPATH": str(root / "src"), "PYSPARK_PYTHON": sys.executable}
        command = [sys.executable, str(Path(__file__).resolve()), "--serve"]
        command += [] if partitions is None else ["--partitions", str(partitions)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def measured(self, folder: Path) -> dict[str, Any]:
        """A query over the files of this folder."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(f"{folder}\n")
        self._process.stdin.flush()
        return dict(json.loads(self._process.stdout.readline()))

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate("")


def serve(partitions: int | None) -> None:
    """Answer each line, a folder, by what its micro-batches took; used in a process of its own."""
    import streamframes as sf
    from streamframes.study.replay import progress_of, replayed

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    spark = sf.session()
    if partitions is not None:
        spark.conf.set("spark.sql.shuffle.partitions", str(partitions))
    empty = spark.createDataFrame([], "key long, ts timestamp, value double")
    for line in sys.stdin:
        rows = replayed(spark, Path(line.strip()), empty)
        frames = sf.frames(rows, sf.Threshold("value > 0.5"), ts="ts", by="key", lateness="10 seconds")
        used, batches = _processor_time(), []
        for progress in progress_of(frames.toDF()):
            durations = {name: progress["durationMs"].get(name, 0) for name in (*STAGES, "triggerExecution")}
            batches.append((progress["numInputRows"], durations))
        answers.write(json.dumps({"batches": batches, "processors": _processor_time() - used}) + "\n")
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
    parser.add_argument("--batches", type=int, default=20, help="micro-batches of each kind in a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--partitions", type=int, help="shuffle partitions (default: what the session has)")
    parser.add_argument("--out", type=Path, help="where the results go (default: benchmarks/results)")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(given.partitions)
        return
    from benchmarks.kit.options import RESULTS
    from benchmarks.kit.report import open_console, publish

    roots = {HERE: ROOT} | ({THERE: given.against.resolve()} if given.against else {})
    publish(_report(roots, given), given.out or RESULTS, open_console())


def _report(roots: dict[str, Path], given: argparse.Namespace) -> Report:
    from benchmarks.kit.report import Report, Target

    checkouts = {name: Checkout(root, given.partitions) for name, root in roots.items()}
    rounds: dict[str, list[dict[str, Any]]] = {name: [] for name in checkouts}
    with tempfile.TemporaryDirectory() as folder:
        _write(Path(folder), given.batches)
        for turn in range(given.rounds + 1):
            for name, checkout in checkouts.items():
                measured = checkout.measured(Path(folder))
                if turn:  # the first warms up
                    rounds[name].append(measured)
    for checkout in checkouts.values():
        checkout.end()
    best = {(name, kind): _median(rounds[name], kind) for name in checkouts for kind in KINDS}
    processors = {
        name: min(each["processors"] / len(each["batches"]) for each in some) for name, some in rounds.items()
    }
    return Report(
        name="latency_floor",
        title="Micro-batches that bring next to nothing",
        header=["batches", "checkout", "ms", *STAGES, "processors, ms a batch"],
        cells=[
            [
                kind,
                name,
                *(f"{each[part]:.0f}" for part in ("triggerExecution", *STAGES)),
                f"{1000 * processors[name]:.0f}",
            ]
            for kind in KINDS
            for name, each in ((name, best[name, kind]) for name in checkouts)
        ],
        measurements=[{"checkout": name, "rounds": some} for name, some in rounds.items()],
        targets=[
            Target(f"{kind}: here against there", "<=", 0.5, _ratio(best, kind)) for kind in KINDS if THERE in checkouts
        ],
        settings={"batches": given.batches, "rounds": given.rounds, "partitions": given.partitions or "of the session"},
        notes=["Milliseconds, the median of a round; of the rounds the least. Checkouts took turns."],
    )


def _ratio(best: dict[tuple[str, str], dict[str, float]], kind: str) -> float:
    return best[HERE, kind]["triggerExecution"] / best[THERE, kind]["triggerExecution"]


def _median(rounds: list[dict[str, Any]], kind: str) -> dict[str, float]:
    """What the micro-batches of a kind take, and how it is made up, in the round that took least."""
    found = []
    for each in rounds:
        batches = [durations for n_rows, durations in each["batches"] if n_rows == KINDS[kind]]
        found.append({part: statistics.median(some[part] for some in batches) for part in batches[0]})
    return min(found, key=lambda each: each["triggerExecution"])


def _write(folder: Path, batches: int) -> None:
    """The files: some that warm up, then those without rows, then those with some."""
    rng = np.random.default_rng(0)
    second = 0
    for number, n_rows in enumerate(
        [*[ROWS_OF_WARM_UP] * WARM_UP, *[n for n in KINDS.values() for _ in range(batches)]]
    ):
        ts = (second + np.sort(rng.random(n_rows))) * 1e6
        second += 1 if n_rows else 0
        columns = {
            "key": pa.array(rng.integers(0, 100, n_rows)),
            "ts": pa.array(ts.astype(np.int64)).cast(pa.timestamp("us", "UTC")),
            "value": pa.array(rng.random(n_rows)),
        }
        pq.write_table(pa.table(columns), folder / f"{number:04}.parquet")


if __name__ == "__main__":
    main()
