"""Exactly once: a query is killed again and again, and its output is that of one that was left alone.

`python -m benchmarks.killed --query frames|fill|changes` runs a query over a stream of files into a file sink, or
changes into a database, kills the whole of it (driver, JVM and workers) with `kill -9` at random moments, starts it
again, and compares what is there in the end.
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
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import streamframes as sf
from streamframes.data import routers

KILLS = 20
FILES = 40
ROWS = 200_000
PYTHON = Path(sys.executable)
ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    """Kill, compare, and say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--query", choices=[*QUERIES, CHANGES], default="frames")
    parser.add_argument("--run", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run is not None:
        run_query(given.run, given.query)
        return
    with tempfile.TemporaryDirectory(prefix="streamframes-killed-") as folder:
        outcome = compare(Path(folder), given.kills, given.seed, query=given.query)
    print(json.dumps(outcome))
    if not outcome["equal"]:
        sys.exit(1)


def _start(folder: Path, query: str) -> subprocess.Popen[bytes]:
    command = [str(PYTHON), "-m", "benchmarks.killed", "--query", query, "--run", str(folder)]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, cwd=ROOT, stdout=quiet, stderr=quiet, start_new_session=True)


def wait(process: subprocess.Popen[bytes]) -> None:
    """Until a program ends; it is an error if it fails."""
    if process.wait():
        raise RuntimeError(f"the query ended with status {process.returncode}")


def run_program(folder: Path, query: str) -> None:
    """The query in a program of its own, until it ends."""
    wait(_start(folder, query))


def compare(
    folder: Path,
    kills: int,
    seed: int,
    files: int = FILES,
    query: str = "frames",
    leave_alone: Callable[[Path, str], None] = run_program,
) -> dict[str, Any]:
    """Run the query disturbed and undisturbed over the same files."""
    for number, name in enumerate(("in", "other")):
        write_input(folder / name, seed + number, files)
    left_alone, disturbed = folder / "left alone", folder / "disturbed"
    for place in (left_alone, disturbed):
        place.mkdir()
        for name in ("in", "other"):
            (place / name).symlink_to(folder / name)
    leave_alone(left_alone, query)
    killed = disturb(lambda: _start(disturbed, query), disturbed, kills, random.Random(seed))
    expected, found = output(left_alone), output(disturbed)
    return {
        "query": query,
        "kills": killed,
        "frames": sum(expected.values()),
        "lost": sum((expected - found).values()),
        "twice": sum((found - expected).values()),
        "equal": expected == found,
    }


def write_input(folder: Path, seed: int, files: int) -> None:
    """Reports of routers, in files that the stream reads one by one; one in twenty comes late, but not too late."""
    folder.mkdir()
    table = routers(ROWS, routers=20, seed=seed).table
    rng = random.Random(seed)
    arrival = [t.value + (rng.randrange(50_000_000) if rng.random() < 0.05 else 0) for t in table["rpt_time"]]
    table = table.take(pa.array(sorted(range(len(arrival)), key=arrival.__getitem__)))
    for number in range(files):
        part = table.slice(number * ROWS // files, ROWS // files)
        path = folder / f"{number:03}.parquet"
        pq.write_table(part, path)
        os.utime(path, (1_000 + number, 1_000 + number))


def run_query(folder: Path, query: str) -> None:
    """The query itself, until all files are read."""
    spark = sf.session(master="local[2]", spark_sql_shuffle_partitions="2", spark_driver_memory="1g")
    schema = spark.read.parquet(str(folder / "in")).schema

    def stream(name: str) -> Any:
        return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder / name))

    scheme = sf.Threshold("drop_pct > 0.3", min_duration="1 minute")
    if query == CHANGES:
        # Half of the rows that come late are too late for the watermark, and amend.
        stream_of_changes = sf.Stream(lateness="10 seconds", early=True, late="amend", amend_within="1 hour")
        changes = sf.frames(stream("in"), scheme, ts="rpt_time", by="router", stream=stream_of_changes)
        episodes = sf.sink.SQLite(folder / "out.db", table="episodes")
        writer = changes.agg(worst="max(drop_pct)").writeStream.foreachBatch(sf.sink.upsert(episodes))
        writer = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
        writer.start().awaitTermination()
        return
    frames = sf.frames(stream("in"), scheme, ts="rpt_time", by="router", lateness="1 minute")
    result = QUERIES[query](frames, stream("other"))
    writer = result.writeStream.format("parquet").option("path", str(folder / "out"))
    writer = writer.option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True)
    writer.start().awaitTermination()


# What is asked of the frames: measures of their own rows, or of the rows of another stream.
QUERIES: dict[str, Callable[[sf.Frames, Any], Any]] = {
    "frames": lambda frames, other: frames.agg(worst="max(drop_pct)"),
    "fill": lambda frames, other: frames.expand(before="2 minutes").fill(
        other, ts="rpt_time", lateness="1 minute", n="count(*)", worst="max(drop_pct)", total="sum(drop_pct)"
    ),
}


# Provisional results that late rows amend, in a database that has the last version of each.
CHANGES = "changes"


def disturb(start: Callable[[], subprocess.Popen[bytes]], folder: Path, kills: int, rng: random.Random) -> int:
    """Start the query until it ends by itself; kill it on the way, at moments that are spread over its life."""
    killed = 0
    while True:
        process = start()
        if killed == kills:
            wait(process)
            return killed
        before = committed(folder)
        # The start of a JVM is not the query: wait until the first batch is done, then a random time.
        while process.poll() is None and committed(folder) == before:
            time.sleep(0.05)
        try:
            process.wait(rng.uniform(0.0, 1.5))
            return killed
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            killed += 1


def committed(folder: Path) -> int:
    """How many batches have been committed."""
    commits = folder / "checkpoint" / "commits"
    return len([path for path in commits.glob("*") if path.name.isdigit()]) if commits.exists() else 0


def output(folder: Path) -> Counter[str]:
    """The frames in the sink, as a reader that honours its log sees them, or as the database has them."""
    if (folder / "out.db").exists():
        with closing(sqlite3.connect(folder / "out.db")) as database:
            return Counter(map(repr, database.execute("select * from episodes")))
    batches = sorted((folder / "out" / "_spark_metadata").glob("[0-9]*"), key=lambda path: path.name)
    files: dict[str, None] = {}
    for batch in batches:
        for line in batch.read_text().splitlines()[1:]:
            files[json.loads(line)["path"].rpartition("/")[2]] = None
    tables = [pq.read_table(folder / "out" / name, partitioning=None) for name in files]
    return Counter(repr(row) for table in tables for row in table.to_pylist())


if __name__ == "__main__":
    main()
