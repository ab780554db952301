"""What a session of one's own costs: frames of a table with Spark's defaults, before and after `sf.configure(spark)`.

Each session gets a JVM of its own and takes the same files; the best round counts, of seconds and of the seconds that
processors worked for it, which do not depend on what else the machine does. *scan* is `sf.scan` in the session with
Spark's defaults.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence

import psutil
from pyspark.sql import SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import start_session
from benchmarks.kit.options import Options, count, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import THRESHOLD

KEYS = 100
OURS, DEFAULTS, CONFIGURED, SCAN = "sf.session()", "Spark's defaults", "the same after sf.configure(spark)", "scan"
LIMIT = 1.3


def main() -> None:
    """Measure, print and save; with `--session`, measure one session and print its times as JSON."""
    if "--session" in sys.argv:
        print(json.dumps(_measured_here()))
        return
    options = parse(__doc__ or "", rows=10_000_000, rounds=4)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The times of all sessions."""
    with console.status("making rows"):
        paths = files(Shape(options.rows, KEYS), options.cache)
    seconds = {}
    for name in SESSIONS:
        with console.status(name):
            seconds[name] = _measured_elsewhere(name, options, paths)
    return report_of(seconds, options)


def report_of(rounds: Mapping[str, Sequence[Sequence[float]]], options: Options) -> Report:
    """What the times say: of each round the seconds, and those of processors."""
    best = {name: [min(times) for times in zip(*each, strict=True)] for name, each in rounds.items()}
    ratios = {name: [mine / its for mine, its in zip(times, best[OURS], strict=True)] for name, times in best.items()}
    return Report(
        name="own_session",
        title="A session of one's own",
        header=["session", "s", "processor s", "ratio", "processor ratio"],
        cells=[[name, *(f"{figure:.2f}" for figure in (*best[name], *ratios[name]))] for name in best],
        measurements=[{"session": name, "rounds": list(map(list, each))} for name, each in rounds.items()],
        targets=[Target(f"{name} / {OURS}", "<=", LIMIT, ratios[name][0]) for name in (DEFAULTS, CONFIGURED)],
        settings={"rows": options.rows, "keys": KEYS, "rounds": options.rounds, "task": THRESHOLD.name},
        notes=[f"The best of the rounds; ratios are to {OURS}."],
    )


def _measured_elsewhere(name: str, options: Options, paths: Sequence[str]) -> list[list[float]]:
    given = ["--session", name, "--rounds", str(options.rounds), "--paths", *paths]
    command = [sys.executable, "-m", "benchmarks.own_session", *given]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    found: list[list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measured_here() -> list[list[float]]:
    parser = argparse.ArgumentParser()
    parser.add_argument("--session", choices=SESSIONS)
    parser.add_argument("--rounds", type=count)
    parser.add_argument("--paths", nargs="+")
    given = parser.parse_args()
    spark = SESSIONS[given.session]()
    rows = sf.scan(given.paths, spark=spark) if given.session == SCAN else spark.read.parquet(*given.paths)
    found = []
    for number in range(given.rounds + 1):
        start, worked = time.perf_counter(), _processor_seconds()
        spark_queries.finish(spark_queries.ours(THRESHOLD, rows))
        if number:
            found.append([time.perf_counter() - start, _processor_seconds() - worked])
    spark.stop()
    return found


def _processor_seconds() -> float:
    """What the JVM and its Python workers have worked so far."""
    times = [each.cpu_times() for each in psutil.Process().children(recursive=True)]
    return sum(each.user + each.system for each in times)


def _own() -> SparkSession:
    """What most programs start with: nothing is set but which Python workers are, as in an activated environment."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    return SparkSession.builder.master("local[*]").config("spark.ui.showConsoleProgress", "false").getOrCreate()


def _configured() -> SparkSession:
    spark = _own()
    sf.configure(spark)
    return spark


SESSIONS: Mapping[str, Callable[[], SparkSession]] = {
    OURS: start_session,
    DEFAULTS: _own,
    CONFIGURED: _configured,
    SCAN: _own,
}


if __name__ == "__main__":
    main()
