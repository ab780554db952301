"""What stands in the code for speed alone, with it and without: `python -m benchmarks.kept`.

Each part is left out in a process of its own, which compiles its own code; processes take turns. Processor time, the
least of the rounds. *keys looked up by hash*: what a worker does for a segment of files, reading included, where group
values are looked up by a quick hash, and where each row gets a fingerprint. The others: nested sessions of events in
random order, where memory is fetched before it is needed; of *siblings* and of *families* alone, and at all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

NOTHING = "nothing"
HASH, FETCHING, SIBLINGS, FAMILIES = (
    "keys looked up by hash",
    "fetching",
    "fetching of siblings",
    "fetching of families",
)
# What is measured where a part is left out: tasks of scans, or sessions of which one is inside another so often.
SCANS, SESSIONS = ("threshold", "delta"), {"averages": 1, "averages of averages": 3}
SCAN_KEYS, SESSION_KEYS = (100, 100_000), (1_000, 100_000, 1_000_000)
Case = tuple[str, int]


def cases_of(part: str) -> list[Case]:
    """What is measured with this part and without."""
    if part == HASH:
        return [(task, keys) for task in SCANS for keys in SCAN_KEYS]
    return [(name, keys) for name in SESSIONS for keys in SESSION_KEYS]


def leave_out(part: str) -> None:
    """Replace a part by one that does nothing, or by the plain way; before what is compiled with it is loaded."""
    from streamframes.core.jit import compiled, pointers

    if part == HASH:
        from streamframes.core.files.keys.key_index import KeyNumbers

        KeyNumbers._of_column = _by_fingerprints  # type: ignore[method-assign]  # noqa: SLF001
    elif part == FETCHING:
        pointers.fetch = pointers.inlined(_no_fetch)
    elif part in (SIBLINGS, FAMILIES):
        from streamframes.core.sessions.kernels import fetching

        if part == SIBLINGS:
            fetching.fetch_siblings = pointers.inlined(_no_siblings)
        else:
            fetching.fetch_family = compiled.compiled(_no_family)


def _by_fingerprints(self: Any, array: pa.Array) -> Any:
    return self._by_fingerprints([array])


def _no_fetch(pointer: Any, at: Any) -> None:
    return


def _no_siblings(tree: Any, records: Any, table: Any, hashes: Any, counters: Any, i: Any) -> None:
    return


def _no_family(tree: Any, records: Any, table: Any, lists: Any, counters: Any, p: Any) -> None:
    return


def serve(part: str) -> None:
    """Answer each line, a case and a number of rows, by seconds of a processor and a number of results."""
    leave_out(part)
    works: dict[tuple[Any, ...], Callable[[], int]] = {}
    for line in sys.stdin:
        name, keys, rows = case = tuple(json.loads(line))
        if case not in works:
            works.clear()
            works[case] = (_scan if name in SCANS else _sessions)(name, keys, rows)
            works[case]()  # compiles
        begin = time.process_time()
        found = works[case]()
        print(json.dumps([time.process_time() - begin, found]), flush=True)


def _scan(name: str, keys: int, rows: int) -> Callable[[], int]:
    from benchmarks.costs import CORES, Work
    from benchmarks.kit.options import CACHE
    from streamframes.core.files.segments.partial import Route
    from streamframes.core.files.segments.split import split_by_time
    from streamframes.study.baselines.generated import Shape, files
    from streamframes.study.baselines.tasks import PEER_TASKS

    task, shape = next(task for task in PEER_TASKS if task.name == name), Shape(rows, keys)
    work, route = Work(task, shape, files(shape, CACHE)), Route(1, CORES)
    found = split_by_time(work.selection.chains, CORES)
    return lambda: sum(len(each.data) > 0 for each in work.partials(found, route))


def _sessions(name: str, keys: int, rows: int) -> Callable[[], int]:
    from benchmarks.sessions.engine import AGGREGATES, CLASSES, VALUE, operator_of_plan, plan_of, rows_of
    from streamframes.core.sessions.language.nodes import Measure, Node
    from streamframes.core.sessions.language.terms import DOUBLE

    levels = SESSIONS[name]
    nodes = (
        AGGREGATES["H1"] if levels > 1 else (Node(1, "last", DOUBLE, argument=VALUE), Node(0, "avg", DOUBLE, source=0))
    )
    plan = replace(
        plan_of("H1"), classes=CLASSES[: levels + 1], nodes=nodes, measures=(Measure("mean", len(nodes) - 1),)
    )
    random = np.random.default_rng(0)
    numbers = [pa.array(random.integers(0, most, rows)) for most in (keys, 3, 3)]
    events = rows_of([*numbers, pa.array(random.random(rows) < 0.01), pa.array(random.random(rows))])
    return lambda: sum(batch.num_rows for batch in operator_of_plan(plan).feed(events))


class Variant:
    """A process without a part."""

    def __init__(self, part: str, folder: Path) -> None:
        environment = {**os.environ, "STREAMFRAMES_CACHE_DIR": str(folder / part.replace(" ", "-"))}
        command = [sys.executable, "-m", "benchmarks.kept", "--serve", part]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment)

    def measured(self, case: Case, rows: int) -> tuple[float, int]:
        """Seconds, and how many results there are."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps([*case, rows]) + "\n")
        self._process.stdin.flush()
        seconds, found = json.loads(self._process.stdout.readline())
        return seconds, found

    def end(self) -> None:
        """Let the process end."""
        self._process.communicate("")


def measured(case: Case, variants: Mapping[str, Variant], rows: int, rounds: int) -> dict[str, float]:
    """The least seconds of each variant; all must find the same number of results."""
    taken: dict[str, list[float]] = {name: [] for name in variants}
    results = set()
    for _ in range(rounds):
        for name, variant in variants.items():
            seconds, found = variant.measured(case, rows)
            taken[name].append(seconds)
            results.add(found)
    if len(results) != 1:
        raise RuntimeError(f"{case}: the variants find {results} results")
    return {name: min(times) for name, times in taken.items()}


def main() -> None:
    """Measure, print and save."""
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
        return
    from benchmarks.kit.options import parse
    from benchmarks.kit.report import Report, open_console, publish

    options, console = parse(__doc__ or "", rows=4_000_000, rounds=3), open_console()
    cells, measurements = [], []
    with tempfile.TemporaryDirectory() as folder:
        for parts in ((HASH,), (FETCHING, SIBLINGS, FAMILIES)):
            variants = {name: Variant(name, Path(folder)) for name in (NOTHING, *parts)}
            for case in cases_of(parts[0]):
                with console.status(f"{case[0]}, {case[1]:,} keys"):
                    least = measured(case, variants, options.rows, options.rounds)
                for part in parts:
                    ratio = least[part] / least[NOTHING]
                    figures = [f"{least[NOTHING]:.2f}", f"{least[part]:.2f}", f"{ratio:.2f}"]
                    cells.append([part, case[0], f"{case[1]:,}", *figures])
                measurements += [{"case": case, "without": name, "seconds": least[name]} for name in variants]
            for variant in variants.values():
                variant.end()
    report = Report(
        name="kept",
        title="What stands in the code for speed alone",
        header=["part", "task", "keys", "with", "without", "ratio"],
        cells=cells,
        measurements=measurements,
        targets=[],
        settings={"rows": options.rows, "rounds": options.rounds},
        notes=["Seconds of a processor, the least of the rounds. A part that changes nothing by a tenth can go."],
    )
    publish(report, options.out, console)


if __name__ == "__main__":
    main()
