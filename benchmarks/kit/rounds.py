"""Rounds: every contender runs once a round, so that whatever else the machine does falls on all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

# The JVM compiles what it has run often: what is done in a fraction of a second needs several runs to get there.
WARM_UP = 3.0


class Disagreement(Exception):
    """Contenders found different numbers of frames in the same rows: their times cannot be compared."""


@dataclass(frozen=True)
class Contender:
    """One way to do one task on one table.

    `run` does the work and is timed; `count` does it once before, untimed, and returns the number of frames, or
    None where there are none to compare. A contender that is not `timed` is there for its count alone.
    """

    name: str
    task: str
    keys: int
    rows: int
    run: Callable[[], object]
    count: Callable[[], int | None]
    timed: bool = True

    @property
    def label(self) -> str:
        """What is being done, for a person who waits."""
        return f"{self.task}, {self.keys} keys, {self.name}" if self.keys > 1 else f"{self.task}, 1 key, {self.name}"


@dataclass
class Measurement:
    """What was seen of a contender."""

    contender: Contender
    frames: int | None
    seconds: list[float] = field(default_factory=list)

    @property
    def best(self) -> float:
        """The fastest round: others had company on the machine."""
        return min(self.seconds)

    @property
    def mrows_per_second(self) -> float:
        """Millions of rows a second in the fastest round."""
        return self.contender.rows / self.best / 1e6


def measure(contenders: Sequence[Contender], rounds: int, console: Console) -> list[Measurement]:
    """Untimed runs of each that count and warm up, for some seconds where one run takes less; then the timed rounds."""
    timed = sum(contender.timed for contender in contenders)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("", total=len(contenders) + rounds * timed)
        measurements = []
        for contender in contenders:
            _announce(progress, bar, f"warm-up: {contender.label}")
            end = time.perf_counter() + WARM_UP
            measurements.append(Measurement(contender, contender.count()))
            while rounds and contender.timed and time.perf_counter() < end:
                contender.run()
            progress.advance(bar)
        check_agreement(measurements)
        measurements = [each for each in measurements if each.contender.timed]
        for number in range(1, rounds + 1):
            for measurement in measurements:
                _announce(progress, bar, f"round {number} of {rounds}: {measurement.contender.label}")
                start = time.perf_counter()
                measurement.contender.run()
                measurement.seconds.append(time.perf_counter() - start)
                progress.advance(bar)
    return measurements


def _announce(progress: Progress, bar: object, text: str) -> None:
    progress.update(bar, description=text)  # type: ignore[arg-type]
    if not progress.console.is_terminal:
        progress.console.print(text, highlight=False)


def check_agreement(measurements: Sequence[Measurement]) -> None:
    """Refuse to compare ways that do not find the same number of frames."""
    found: dict[tuple[str, int, int], dict[str, int]] = {}
    for each in measurements:
        if each.frames is not None:
            same = found.setdefault((each.contender.task, each.contender.keys, each.contender.rows), {})
            same[each.contender.name] = each.frames
    for (task, keys, rows), counts in found.items():
        if len(set(counts.values())) > 1:
            shown = ", ".join(f"{name}: {count:,}" for name, count in counts.items())
            raise Disagreement(f"{task} on {rows:,} rows of {keys} keys: numbers of frames differ: {shown}")
