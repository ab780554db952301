"""What the benchmark beside other tools takes on its command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.kit.options import CACHE, QUICK_ROWS, RESULTS, count
from streamframes.study.baselines.tasks import PEER_TASKS, Task

ROWS = (20_000_000, 100_000_000)
KEYS = (1, 100, 100_000)
ROUNDS = 3
SLOW_ROWS = 20_000_000
PATIENCE_SECONDS = 120


@dataclass(frozen=True)
class PeerOptions:
    """How much is measured, of what and by whom; the paths of Python are those of other environments."""

    rows: tuple[int, ...] = ROWS
    keys: tuple[int, ...] = KEYS
    tasks: tuple[Task, ...] = PEER_TASKS
    tools: tuple[str, ...] = ()
    rounds: int = ROUNDS
    slow_rows: int = SLOW_ROWS
    patience: float = PATIENCE_SECONDS
    out: Path = RESULTS
    name: str = "peers"
    cache: Path = CACHE
    flink: str | None = None
    tempo: str | None = None


def parse(about: str, tools: Sequence[str], arguments: Sequence[str] | None = None) -> PeerOptions:
    """Options from a command line; `tools` are the names that can be given."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [task.name for task in PEER_TASKS]
    add = parser.add_argument
    add("--rows", type=count, nargs="+", metavar="N", help=f"tables of as many rows (default: {_shown(ROWS)})")
    add("--keys", type=count, nargs="+", metavar="N", help=f"and of as many keys (default: {_shown(KEYS)})")
    add("--tasks", nargs="+", choices=names, metavar="TASK", help=f"some of {', '.join(names)} (default: all)")
    add("--tools", nargs="+", choices=tools, metavar="TOOL", help=f"some of {', '.join(tools)} (default: all)")
    add("--rounds", type=count, help=f"timed rounds, the best counts (default: {ROUNDS})")
    add("--slow-rows", type=count, metavar="N", help=f"most rows for the slow ones (default: {SLOW_ROWS:,})")
    add("--patience", type=float, metavar="SECONDS", help="leave out runs that would take longer (default: 120)")
    add("--flink", metavar="PYTHON", help="the Python of an environment with PyFlink")
    add("--tempo", metavar="PYTHON", help="the Python of an environment with dbl-tempo")
    add("--quick", action="store_true", help="a million rows, one round; results go to build/bench/results")
    add("--out", type=Path, help="where the results go (default: benchmarks/results)")
    add("--name", default="peers", help="what the files of the results are called (default: peers)")
    given = parser.parse_args(arguments)
    quick = given.quick
    return PeerOptions(
        rows=tuple(sorted(given.rows or ((QUICK_ROWS,) if quick else ROWS))),
        keys=tuple(sorted(given.keys or KEYS)),
        tasks=tuple(task for task in PEER_TASKS if task.name in (given.tasks or names)),
        tools=tuple(given.tools or tools),
        rounds=given.rounds or (1 if quick else ROUNDS),
        slow_rows=given.slow_rows or SLOW_ROWS,
        patience=given.patience or PATIENCE_SECONDS,
        out=given.out or (CACHE / "results" if quick else RESULTS),
        name=given.name,
        flink=given.flink,
        tempo=given.tempo,
    )


def _shown(numbers: Sequence[int]) -> str:
    return " ".join(f"{number:_}" for number in numbers)
