"""A program that is killed while it writes to SQLite leaves what one leaves that is not."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from tests.sinks.batches import state_after
from tests.sinks.killed_writer import BATCHES, batches, noted, start


def killed_often(folder: Path, url: str, moments: tuple[str, ...]) -> int:
    """Kill the program at each of the moments, then while it writes, until it has written everything."""
    for number, moment in enumerate(moments):
        assert start(folder, url, f"{moment}:{2 + number}").wait() == -signal.SIGKILL
    kills, rng = len(moments), random.Random(1)
    while True:
        before, process = noted(folder), start(folder, url)
        if before == BATCHES:
            assert process.wait() == 0
            return kills
        while process.poll() is None and noted(folder) < min(before + 3, BATCHES):
            pass
        try:
            assert process.wait(rng.uniform(0.0, 0.02)) == 0
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1


def test_a_program_that_is_killed_leaves_what_one_leaves_that_is_not(tmp_path: Path) -> None:
    assert killed_often(tmp_path, "", ("merged", "written", "merged", "written", "merged")) >= 5
    with closing(sqlite3.connect(tmp_path / "killed.db")) as database:
        found = database.execute("select * from killed order by frame_id").fetchall()
    assert found == [tuple(row.values()) for row in state_after(batches())]
    assert len(found) > 50
