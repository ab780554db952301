"""What is promised beside other tools. A promise holds for every number of keys: the worst of them counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from benchmarks.kit.report import Target
from benchmarks.peers.tools import FAST_PEERS, LIMIT, PEERS, SCAN, TABLE, Speeds, Tool
from streamframes.study.baselines.tasks import PEER_TASKS

FEW_ROWS, MANY_ROWS = 20_000_000, 100_000_000
SOME_KEYS, MANY_KEYS = 100, 100_000
BEST_PEER = {"threshold": 1.6, "boundary": 2.0, "delta": 1.2, "aggregate": 1.2, "fill": 1.6}
OF_LIMIT, OF_TABLE, SLOWER_WITH_KEYS = 0.6, 5.0, 1.5
LARGEST_WORKER_MIB = 1536.0
TASK_NAMES = tuple(task.name for task in PEER_TASKS)

# The most that a Python worker held in a scan, in MiB, by (rows, keys, task).
Peaks = Mapping[tuple[int, int, str], float]


def targets(speeds: Speeds, peaks: Peaks) -> Iterator[Target]:
    """What is promised of what has been measured."""
    for task in TASK_NAMES:
        yield from _beside(speeds, MANY_ROWS, task, "the best peer", FAST_PEERS, BEST_PEER[task])
    for task in TASK_NAMES:
        yield from _beside(speeds, MANY_ROWS, task, LIMIT.name, (LIMIT,), OF_LIMIT)
    for task in TASK_NAMES:
        yield from _beside(speeds, FEW_ROWS, task, "every peer", PEERS, 1.0)
    for task in TASK_NAMES:
        yield from _beside(speeds, FEW_ROWS, task, TABLE.name, (TABLE,), OF_TABLE)
    for task in TASK_NAMES:
        some, many = (speeds.get((MANY_ROWS, keys, task, SCAN.name)) for keys in (SOME_KEYS, MANY_KEYS))
        if some and many:
            promise = f"{MANY_ROWS:,} rows, {task}: time of {MANY_KEYS:,} keys / time of {SOME_KEYS} keys"
            yield Target(promise, "<=", SLOWER_WITH_KEYS, some / many)
    for task in TASK_NAMES:
        held = {keys: peak for (rows, keys, name), peak in peaks.items() if (rows, name) == (MANY_ROWS, task)}
        if held:
            worst = max(held, key=held.__getitem__)
            promise = f"{MANY_ROWS:,} rows, {task}: largest Python worker (worst: {_keys(worst)})"
            yield Target(promise, "<", LARGEST_WORKER_MIB, held[worst], "MiB")


def _beside(speeds: Speeds, rows: int, task: str, than: str, others: Sequence[Tool], limit: float) -> Iterator[Target]:
    """The scan's speed over that of the fastest of the others, for the keys where it is least."""
    ratios: dict[tuple[int, str], float] = {}
    for (n, keys, name, tool), speed in speeds.items():
        known = {each.name: speeds.get((n, keys, name, each.name), 0.0) for each in others}
        if (n, name, tool) == (rows, task, SCAN.name) and any(known.values()):
            best = max(known, key=known.__getitem__)
            ratios[keys, best] = speed / known[best]
    if ratios:
        keys, best = min(ratios, key=ratios.__getitem__)
        where = _keys(keys) if len(others) == 1 else f"{_keys(keys)}, {best}"
        yield Target(f"{rows:,} rows, {task}: speed / {than} (worst: {where})", ">=", limit, ratios[keys, best])


def _keys(keys: int) -> str:
    return f"{keys:,} keys" if keys > 1 else "1 key"
