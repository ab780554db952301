"""Killing: a program that reads a stream is ended by `kill -9` and started again, until it has read everything."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from tests.cluster.servers import ROOT


def disturbed(program: str, folder: Path, kills: int, rng: random.Random) -> int:
    """Start a module until it ends by itself; it is killed so often at any moment, and may kill itself.

    Its queries keep their checkpoints in `folder/checkpoints`. Returns how often it was killed.
    """
    killed = 0
    while True:
        with (folder / "log").open("ab") as log:
            command = [sys.executable, "-m", program, str(folder)]
            process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log, start_new_session=True)
        try:
            if kills:
                # The start of a JVM is no query: some batches must be done before, then it may happen at any time.
                wanted = committed(folder) + rng.randrange(1, 6)
                while process.poll() is None and committed(folder) < wanted:
                    time.sleep(0.05)
                time.sleep(rng.uniform(0.0, 1.0))
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                    kills -= 1
            status = process.wait()
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        if status == 0:
            return killed
        if status != -signal.SIGKILL:
            raise RuntimeError(f"{program} ended with status {status}:\n{(folder / 'log').read_text()[-4000:]}")
        killed += 1


def committed(folder: Path) -> int:
    """How many batches of all queries have been committed."""
    return sum(path.name.isdigit() for path in folder.glob("checkpoints/*/commits/*"))


def dying(
    folder: Path, name: str, batches: Collection[int], upsert: Callable[[Any, int], None]
) -> Callable[[Any, int], None]:
    """Write batches; after some, when they come first, end everything before Spark commits what was written."""

    def write(rows: Any, number: int) -> None:
        upsert(rows, number)
        mark = folder / f"died-{name}-{number}"
        if number in batches and not mark.exists():
            mark.touch()
            os.killpg(0, signal.SIGKILL)

    return write
