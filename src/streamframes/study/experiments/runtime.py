"""What frames cost, held against windows of growing length: in time over traffic, in rows over dye."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from streamframes.api.frames import frames
from streamframes.core.schemes import Count, Every, Scheme, Threshold
from streamframes.study.data.sources import LEVEL, TRAFFIC, dye, groups, traffic
from streamframes.study.experiments.accuracy_traffic import SLOW
from streamframes.study.kit import Lab, Study, drop
from streamframes.study.report import charts
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

SECONDS, SIZES = (20, 60, 240, 960), (5, 20, 60, 120)
ROUNDS = 2
STATIONS = 48
COMPARABLE = 1.5
FRAMES, WINDOWS, SPARK = "frames", "windows", "window() of Spark"
DYED = Threshold(f"fluorescence > {LEVEL}", min_rows=20)


@dataclass(frozen=True)
class Task:
    """What is framed and cut: rows in the order of `ts`, a scheme, and windows by their length."""

    name: str
    unit: str
    rows: DataFrame
    ts: str
    value: str
    scheme: Scheme
    windows: Mapping[int, Scheme]

    @property
    def measures(self) -> dict[str, str]:
        """What is computed of each frame and of each window."""
        return {"least": f"min({self.value})", "most": f"max({self.value})", "mean": f"avg({self.value})"}

    def jobs(self) -> dict[tuple[str, int], Callable[[], None]]:
        """Who is measured, and with which length of windows; frames have none."""
        found = {(FRAMES, 0): self._framed(self.scheme)}
        found |= {(WINDOWS, length): self._framed(window) for length, window in self.windows.items()}
        if self.unit == "seconds":
            found |= {(SPARK, length): self._windowed(length) for length in self.windows}
        return {place: partial(drop, result) for place, result in found.items()}

    def _framed(self, scheme: Scheme) -> DataFrame:
        return frames(self.rows, scheme, ts=self.ts, by=groups(self.rows)).agg(**self.measures)

    def _windowed(self, length: int) -> DataFrame:
        """The same windows as Spark itself makes them."""
        keys = ", ".join([*groups(self.rows), f"window({self.ts}, '{length} seconds')"])
        measures = ", ".join(f"{made} AS {name}" for name, made in self.measures.items())
        text = f"SELECT {keys}, count(*) AS n, {measures} FROM {{rows}} GROUP BY {keys}"
        return self.rows.sparkSession.sql(text, rows=self.rows)


@dataclass(frozen=True)
class Timed:
    """The best time of every way of a task."""

    name: str
    unit: str
    lengths: Sequence[int]
    best: Mapping[tuple[str, int], float]

    @property
    def frames(self) -> float:
        """Seconds for frames."""
        return self.best[FRAMES, 0]

    def of(self, way: str) -> list[float]:
        """Seconds of a way, by length of windows; none if it takes no part."""
        return [self.best[way, length] for length in self.lengths if (way, length) in self.best]


def run(lab: Lab) -> Outcome:
    """Measure every way in turn, some rounds, and keep the best time of each."""
    found = [_timed(lab, task) for task in _tasks(lab)]
    return Outcome(
        lab.named(f"{lab.rows:,} made-up reports of {STATIONS} stations, and as many scans of a made-up tow"),
        [_table(found)],
        [Picture("runtime", "Run time by length of windows", lambda: picture(found))],
        [claim for each in found for claim in claims(each)],
        {"windows_seconds": SECONDS, "windows_rows": SIZES, "rounds": ROUNDS, "seed": lab.seed},
        [f"The best of {ROUNDS} rounds on {lab.spark.conf.get('spark.master')}, rows in memory, results dropped."],
    )


def _tasks(lab: Lab) -> list[Task]:
    """Traffic, and without a file dye too."""
    windows = {length: Every(f"{length} seconds") for length in SECONDS}
    tasks = [Task("traffic", "seconds", traffic(lab, stations=STATIONS), "ts", "speed", SLOW, windows)]
    if lab.data is None:
        sizes = {size: Count(size) for size in SIZES}
        tasks.append(Task("dye", "rows", dye(lab), "scan", "fluorescence", DYED, sizes))
    return tasks


def _timed(lab: Lab, task: Task) -> Timed:
    jobs = task.jobs()
    lab.run("Loading rows", task.rows.count)
    for (name, length), way in jobs.items():
        lab.run(f"Warming up {name} {length or ''}".rstrip(), way)
    rounds = [
        {place: lab.seconds(f"Round {number + 1} of {ROUNDS}: {place[0]}", way) for place, way in jobs.items()}
        for number in range(ROUNDS)
    ]
    task.rows.unpersist()
    best = {place: min(each[place] for each in rounds) for place in jobs}
    return Timed(task.name, task.unit, list(task.windows), best)


def claims(found: Timed) -> list[Claim]:
    """What the paper says of run times."""
    windows, of = found.of(WINDOWS), f"Of {found.name}, "
    mean = sum(windows) / len(windows)
    return [
        Claim(
            f"{of}frames cost about as much as windows.",
            f"{found.frames:.2f} s, windows {min(windows):.2f} to {max(windows):.2f} s, "
            f"{found.frames / mean:.2f} times their mean",
            found.frames <= COMPARABLE * mean,
        ),
        Claim(
            f"{of}the shortest windows, which come closest to frames, cost more than frames.",
            f"windows of {found.lengths[0]} {found.unit} {windows[0]:.2f} s, frames {found.frames:.2f} s",
            windows[0] > found.frames,
        ),
    ]


def _table(found: Sequence[Timed]) -> Table:
    rows = [
        [each.name, name, f"{length} {each.unit}" if length else None, round(took, 3), round(each.frames / took, 3)]
        for each in found
        for (name, length), took in each.best.items()
    ]
    headings = ["data", "way", "window", "seconds", "frames_to_it"]
    return Table("runtime", "Run time, and how many times as long frames take", headings, rows)


def picture(found: Sequence[Timed]) -> Figure:
    """Time against length of windows; frames have no length and are a line."""
    figure, panels = charts.panels(len(found), width=5.5 * len(found) + 1, height=4.0)
    for axes, each in zip(panels, found, strict=True):
        for name, colour in ((WINDOWS, charts.WINDOWS), (SPARK, charts.SAMPLES)):
            if took := each.of(name):
                axes.plot(each.lengths, took, marker="o", markersize=4, color=colour, label=name)
        axes.axhline(each.frames, color=charts.FRAMES, label=FRAMES)
        charts.dress(axes, f"length of windows ({each.unit})", "run time (seconds)", each.name)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False)
    return figure


STUDY = Study(
    "runtime",
    "What frames cost beside windows",
    "Maier et al., DEBS 2012, figures 6 and 13",
    1_000_000,
    "reports",
    TRAFFIC,
    run,
)
