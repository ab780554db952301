"""Exactly once into databases: a query is killed again and again, and its table is that of one that was left alone.

`python -m benchmarks.killed_sinks --sink sqlite|postgres` runs fragments of a stream of files through `sf.sink.upsert`,
kills the whole of it (driver, JVM and workers) with `kill -9` at the moments that are known to be bad and at random
ones, starts it again, and compares the tables in the end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import streamframes as sf
from benchmarks.killed import PYTHON, ROOT, disturb, wait, write_input
from streamframes.sinks.sqlite import SQLite
from tests.servers.postgres import cluster

# Once the staging table is filled; once the rows are merged, but not committed; once they are, but not Spark's batch.
MOMENTS = {"sqlite": ("merged", "written"), "postgres": ("staged", "merged", "written")}
# What a fragment says of its frame; its number may be another after a restart, when nothing was new.
COLUMNS = "frame_id, router, frame_start, frame_end, frame_rows, frame_closed_by, worst, frame_final"
# A busy machine may take long to start a worker, or to let it answer.
PATIENCE = {"spark_python_authenticate_socketTimeout": "600s", "spark_network_timeout": "1200s"}
LOSS = sf.Threshold("drop_pct > 0.3", min_duration="1 minute")


def main() -> None:
    """Kill, compare, and say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sink", choices=list(MOMENTS), default="sqlite")
    parser.add_argument("--kills", type=int, default=8, help="how many at random moments")
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    parser.add_argument("--die", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run is not None:
        run_query(given.run, given.url, given.die)
        return
    folder = tempfile.TemporaryDirectory(prefix="streamframes-killed-")
    with folder as name, cluster() if given.sink == "postgres" else nullcontext() as server:
        url = None if server is None else server.url
        outcome = compare(Path(name), given.kills, given.seed, given.files, url, run_program)
    print(json.dumps(outcome))
    if not outcome["equal"]:
        sys.exit(1)


def compare(
    folder: Path,
    kills: int,
    seed: int,
    files: int,
    url: str | None,
    leave_alone: Callable[[Path, str | None, str], None],
) -> dict[str, Any]:
    """Run the query disturbed and undisturbed over the same files; a URL is that of a Postgres."""
    write_input(folder / "in", seed, files)
    for name in ("alone", "disturbed"):
        (folder / name).mkdir()
        (folder / name / "in").symlink_to(folder / "in")
    leave_alone(folder / "alone", url, "")
    rng, disturbed = random.Random(seed), folder / "disturbed"
    moments = MOMENTS["sqlite" if url is None else "postgres"]
    known = sum(_dies(disturbed, url, f"{moment}:{2 + number}") for number, moment in enumerate(moments))
    killed = disturb(lambda: start(disturbed, url, ""), disturbed, kills, rng)
    expected, found = stored(folder / "alone", url), stored(disturbed, url)
    return {
        "known kills": known,
        "random kills": killed,
        "rows": len(expected),
        "lost": len(set(expected) - set(found)),
        "twice": len(set(found) - set(expected)),
        "equal": expected == found,
    }


def start(folder: Path, url: str | None, die: str) -> subprocess.Popen[bytes]:
    """The query in a program of its own."""
    command = [str(PYTHON), "-m", "benchmarks.killed_sinks", "--run", str(folder), "--die", die]
    with (folder / "log").open("ab") as log:
        command += [] if url is None else ["--url", url]
        return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)


def run_program(folder: Path, url: str | None, die: str) -> None:
    """The query in a program of its own, until it ends."""
    wait(start(folder, url, die))


def _dies(folder: Path, url: str | None, die: str) -> int:
    """Start the query; it kills itself at a moment of a batch."""
    code = start(folder, url, die).wait()
    if code != -signal.SIGKILL:
        raise RuntimeError(f"the query ended with status {code}, where it should have been killed")
    return 1


def target_of(folder: Path, url: str | None) -> Any:
    """The table of a run."""
    return SQLite(folder / "out.db", table="loss") if url is None else sf.sink.Postgres(url, table=folder.name)


def run_query(folder: Path, url: str | None, die: str) -> None:
    """The query itself, until all files are read, or until it dies."""
    spark = sf.session(master="local[2]", spark_sql_shuffle_partitions="2", spark_driver_memory="1g", **PATIENCE)
    schema = spark.read.parquet(str(folder / "in")).schema
    rows = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / "in"))
    stream = sf.Stream(lateness="1 minute", fragments=True)
    frames = sf.frames(rows, LOSS, ts="rpt_time", by="router", stream=stream).agg(worst="max(drop_pct)")
    target = target_of(folder, url)
    moment, _, batch = die.partition(":")
    now: list[int] = []

    def at(this: str) -> None:
        if this == moment and now == [int(batch)]:
            os.killpg(os.getpid(), signal.SIGKILL)

    upsert = sf.sink.upsert(target)

    def write(batch: Any, number: int) -> None:
        now[:] = [number]
        upsert(batch, number)
        at("written")

    hook(type(target), moment, at)
    writer = frames.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()


def hook(kind: type, moment: str, at: Callable[[str], None]) -> None:
    """Let a target say when it is about to merge what is staged, or when it has merged, before it commits."""
    name = {"merged": "merge", "staged": "merge_staged"}.get(moment)
    if name is None:
        return
    original = getattr(kind, name)

    def method(*arguments: Any) -> None:
        at("staged")
        original(*arguments)
        at("merged")

    setattr(kind, name, method)


def stored(folder: Path, url: str | None) -> Sequence[tuple[Any, ...]]:
    """The rows of a run's table, in order of their ids."""
    if url is None:
        with closing(sqlite3.connect(folder / "out.db")) as database:
            return database.execute(f"select {COLUMNS} from loss order by frame_id").fetchall()
    import psycopg

    with psycopg.connect(url) as connection:
        return connection.execute(f"select {COLUMNS} from {folder.name} order by frame_id").fetchall()  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
