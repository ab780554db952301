"""What the first query costs: each typical query in a session without compiled code, with it, and once more.

*cold* has an empty cache, *kept* is a new session that finds what the cold one has left, *again* is the same query in
the same session. *task* is the longest of the Python tasks of the *kept* queries, by Spark's own record: what a worker
takes that starts, loads the library and its compiled code, and answers. `--verbs` chooses.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

import streamframes as sf
from benchmarks.kit.options import RESULTS
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.cli.typical import QUERIES, carry_out, rows_in_files

FIRST_TASK = 2.0
# One task at a time: nothing is compiled twice.
SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.streamframes.buckets": "1"}
Times = Mapping[str, Mapping[str, float]]


def main() -> None:
    """Measure, print and save; with `--log`, measure in this process and print times as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verbs", nargs="+", choices=list(QUERIES), default=list(QUERIES))
    parser.add_argument("--each", action="store_true", help="every query, not the first of each verb")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--log", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.log:
        print(json.dumps(_measured_here(given.verbs, given.log, each=given.each)))
        return
    console = open_console()
    publish(run(given.verbs, console, each=given.each), given.out, console)


def run(verbs: Sequence[str], console: Console, *, each: bool = False) -> Report:
    """The times of the queries of these verbs."""
    with tempfile.TemporaryDirectory(prefix="cold-") as folder:
        found = {}
        for name in ("cold", "kept"):
            with console.status(name):
                found[name] = _measured_elsewhere(verbs, Path(folder), name, each=each)
        first_task = longest_task(Path(folder) / "kept")
    return report_of(found["cold"], found["kept"], first_task)


def report_of(cold: Times, kept: Times, first_task: float) -> Report:
    """What the times say."""
    return Report(
        name="cold",
        title="The first query",
        header=["query", "cold, s", "kept, s", "again, s"],
        cells=[
            [name, f"{times['first']:.1f}", f"{kept[name]['first']:.1f}", f"{kept[name]['again']:.1f}"]
            for name, times in cold.items()
        ],
        measurements=[{"query": name, "cold": dict(cold[name]), "kept": dict(kept[name])} for name in cold],
        targets=[Target("longest Python task with compiled code kept", "<=", FIRST_TASK, first_task, "s")],
        settings={"partitions": 1},
        notes=["Seconds, with planning and Spark's own part. A worker of the first query of all also starts."],
    )


def _measured_elsewhere(verbs: Sequence[str], folder: Path, name: str, *, each: bool) -> Times:
    """In a session of its own, with what earlier ones have left in the folder."""
    log = folder / name
    log.mkdir()
    command = [sys.executable, "-m", "benchmarks.cold", "--log", str(log), "--verbs", *verbs, *["--each"] * each]
    # Bytecode is there as in an installation, whatever is set here.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"STREAMFRAMES_CACHE_DIR": str(folder / "compiled"), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    found: Times = json.loads(done.stdout.splitlines()[-1])
    return found


def _measured_here(verbs: Sequence[str], log: Path, *, each: bool) -> Times:
    """The first and the second run of each query, in a session whose tasks are recorded."""
    recorded = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": log.as_uri(),
        "spark.eventLog.compress": "false",
    }
    spark = sf.session("cold", master="local[*]", **SETTINGS, **recorded)
    found: dict[str, dict[str, float]] = {}
    with rows_in_files(spark) as rows:
        rows.table.write.format("noop").mode("overwrite").save()  # Spark has started
        for verb in verbs:
            queries = QUERIES[verb] if each else dict([next(iter(QUERIES[verb].items()))])
            for name, query in queries.items():
                times = {}
                for which in ("first", "again"):
                    start = time.perf_counter()
                    carry_out(query, rows)
                    times[which] = time.perf_counter() - start
                found[f"{verb}: {name}"] = times
    spark.stop()
    return found


def longest_task(log: Path) -> float:
    """The longest task that Spark has recorded, in seconds."""
    lines = (line for file in log.rglob("*") if _is_log(file) for line in file.read_text().splitlines())
    tasks = [json.loads(line)["Task Info"] for line in lines if '"SparkListenerTaskEnd"' in line]
    return float(max(task["Finish Time"] - task["Launch Time"] for task in tasks)) / 1000


def _is_log(file: Path) -> bool:
    """Whether events are in it; Hadoop writes checksums beside."""
    return file.is_file() and file.suffix != ".crc"


if __name__ == "__main__":
    main()
