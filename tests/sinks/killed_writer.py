"""A program that writes batches one after the other, as a query would, and dies where it is told to be killed.

It notes each batch that it has written, as Spark's checkpoint does, and begins after the last one that is noted: a
batch that is written but not noted is written again.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

import streamframes as sf
from benchmarks.killed_sinks import hook
from tests.sinks.batches import TableBatch, batch_of

ROOT = Path(__file__).resolve().parents[2]
BATCHES, ROWS, IDS = 12, 400, 150


def batches() -> list[TableBatch]:
    """Changes of frames: each of a version of its own, out of order within a batch, some of them retractions."""
    rng, version, made = random.Random(1), dict.fromkeys(range(IDS), -1), []
    for _ in range(BATCHES):
        rows = []
        for _ in range(ROWS):
            key = rng.randrange(IDS)
            version[key] += 1
            rows.append((key, version[key], rng.random() < 0.2, rng.randrange(2**62)))
        rng.shuffle(rows)
        names = ("frame_id", "frame_version", "frame_retracted", "x")
        made.append(batch_of(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))))
    return made


def target_of(folder: Path, url: str) -> Any:
    """The table that the program writes to."""
    return sf.sink.Postgres(url, table="killed") if url else sf.sink.SQLite(folder / "killed.db", table="killed")


def noted(folder: Path) -> int:
    """How many batches are noted."""
    return len(list((folder / "commits").glob("*")))


def start(folder: Path, url: str, die: str = "") -> subprocess.Popen[bytes]:
    """The program, which goes on where the last one was killed."""
    (folder / "commits").mkdir(exist_ok=True)
    command = [sys.executable, "-m", "tests.sinks.killed_writer", str(folder), url, die]
    with (folder / "log").open("ab") as log:
        return subprocess.Popen(command, cwd=ROOT, stderr=log)


def main(folder: Path, url: str, die: str) -> None:
    """Write, note, and die when it is time."""
    target, (moment, _, batch) = target_of(folder, url), die.partition(":")
    now = -1

    def at(this: str) -> None:
        if this == moment and now == int(batch):
            os.kill(os.getpid(), signal.SIGKILL)

    hook(type(target), moment, at)
    for now, each in enumerate(batches()):
        if now >= noted(folder):
            target.write(each)
            at("written")
            (folder / "commits" / str(now)).touch()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
