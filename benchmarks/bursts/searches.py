"""Searches for bursts, one core, no Spark: the library's own and others, on one series: `python -m benchmarks.bursts`.

Windows are 4, 8, 12, ... rows; thresholds are mean + sigmas x std of the moving sums of the first tenth of the rows.
Alarms are handed over 262,144 at a time by every method, so that no memory but the method's own is measured.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.bursts.engines import ExactEngine
from streamframes.core.bursts.exact.sums import SUM
from streamframes.core.bursts.learning import learnt_thresholds
from streamframes.data import packet_values
from streamframes.study.baselines.bursts import BASELINES
from streamframes.study.baselines.bursts.methods import (
    BISECTED,
    BRUTE,
    DEFAULT,
    EVERY,
    SLOW_CELLS,
    STARDUST,
    WAVELET,
    Case,
    methods_of,
    searched,
)

NUMBERS = (50, 100, 200, 1_000, 10_000)
# What is searched: traffic with or without a background, and how far thresholds lie above the mean.
CASES = {
    "rare, bursts only": (0, 7.0),
    "rare, on a background": (40, 7.0),
    "some, bursts only": (0, 1.0),
    "dense, on a background": (40, -0.15),
}
# Dense alarms are so many that fewer rows must do.
DENSE_CELLS = 400_000_000
_ENOUGH = 2.0


@dataclass(frozen=True)
class Timed:
    """What a method took, and how many alarms it found."""

    seconds: float
    alarms: int


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=1_000_000, rounds=5)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all methods on all cases."""
    found: dict[tuple[str, int], dict[str, Timed]] = {}
    shares = {}
    for case in track(list(cases(options.rows)), "searching", console=console, transient=True):
        number = case.lengths.size
        found[case.name, number] = _in_turn(methods_of(case), options.rounds)
        shares[case.name, number] = alarmed(case)
        exact = {each.alarms for name, each in found[case.name, number].items() if name not in (BISECTED, EVERY)}
        if len(exact) > 1:
            raise AssertionError(f"{case.name}, {number} windows: exact methods found {exact} alarms")
    return report_of(found, shares, options)


def cases(rows: int) -> Iterator[Case]:
    """Every series with every number of windows."""
    for name, (background, sigmas) in CASES.items():
        values = packet_values(rows, seed=0, background=background).astype(np.float64)
        for number in NUMBERS:
            lengths = np.arange(4, 4 * number + 1, 4)
            if lengths[-1] > rows // 10:
                continue
            thresholds = learnt_thresholds(SUM, values[: rows // 10], lengths, sigmas)
            few = max(2 * int(lengths[-1]), DENSE_CELLS // number) if name.startswith("dense") else rows
            yield Case(name, values[:few], lengths, thresholds)


def alarmed(case: Case) -> tuple[float, float]:
    """The shares of rows, and of rows by windows, that alarm."""
    rows, alarms = np.zeros(case.values.size, np.bool_), 0
    for batch in searched(ExactEngine(SUM), case):
        rows[batch.rows] = True
        alarms += batch.rows.size
    return float(rows.mean()), alarms / case.cells


def _in_turn(methods: dict[str, Callable[[], int]], rounds: int) -> dict[str, Timed]:
    """The fastest of some rounds of each, after one that compiles; all take turns, and slow ones have fewer."""
    alarms = {name: method() for name, method in methods.items()}
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(rounds):
        for name, method in methods.items():
            if sum(seconds[name]) < _ENOUGH:
                start = time.perf_counter()
                method()
                seconds[name].append(time.perf_counter() - start)
    return {name: Timed(min(seconds[name]), alarms[name]) for name in methods}


def report_of(
    found: dict[tuple[str, int], dict[str, Timed]], shares: dict[tuple[str, int], tuple[float, float]], options: Options
) -> Report:
    """What was measured, and what was promised."""
    names = [DEFAULT, BISECTED, EVERY, BRUTE, WAVELET, STARDUST]
    cells = []
    for (case, number), times in found.items():
        rows, both = shares[case, number]
        figures = [f"{times[name].seconds * 1e3:.1f}" if name in times else "-" for name in names]
        cells.append([case, f"{number}", f"{rows:.2%}", f"{both:.2%}", *figures])
    return Report(
        name="bursts",
        title="Searches for bursts: milliseconds, one core",
        header=["alarms", "windows", "rows that alarm", "rows x windows", *names],
        cells=cells,
        measurements=[
            {"case": case, "windows": number, "way": name, "seconds": each.seconds, "alarms": each.alarms}
            for (case, number), times in found.items()
            for name, each in times.items()
        ],
        targets=list(targets_of(found)),
        settings={"rows": options.rows, "rounds": options.rounds, "error of histograms": "1 %"},
        notes=(
            f"Dense alarms: {DENSE_CELLS:,} rows x windows. All exact methods found the same alarms.",
            f"`-`: more than {SLOW_CELLS:,} rows x windows.",
        ),
    )


def targets_of(found: dict[tuple[str, int], dict[str, Timed]]) -> Iterator[Target]:
    """The promises of the default and of the monotonic search."""

    def ratio(case: str, number: int, slow: str, fast: str) -> float:
        times = found[case, number]
        return times[slow].seconds / times[fast].seconds

    for case in ("rare, bursts only", "rare, on a background"):
        for number, default, bisected in ((1_000, 5, 2), (10_000, 30, 10)):
            if (case, number) in found:
                name = f"{case}, {number:,} windows: brute force / "
                yield Target(name + DEFAULT, ">=", default, ratio(case, number, BRUTE, DEFAULT))
                yield Target(name + BISECTED, ">=", bisected, ratio(case, number, BRUTE, BISECTED))
        if (case, 1_000) in found:
            growth = found[case, 1_000][BISECTED].seconds / found[case, 50][BISECTED].seconds
            yield Target(f"{case}: {BISECTED}, 1,000 / 50 windows", "<=", 1.6, growth)
    for (case, number), times in found.items():
        if case.startswith("dense"):
            yield Target(
                f"{case}, {number:,} windows: default / brute force", "<=", 1.2, ratio(case, number, DEFAULT, BRUTE)
            )
        rest = min(times[name].seconds for name in BASELINES if name in times)
        yield Target(f"{case}, {number:,} windows: default / best other", "<=", 1.2, times[DEFAULT].seconds / rest)
