"""The report beside other tools: a table of speeds, the targets, and what a reader should know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from benchmarks.kit.report import Report
from benchmarks.kit.rounds import Measurement
from benchmarks.peers.chart import NAMES
from benchmarks.peers.options import PeerOptions
from benchmarks.peers.targets import FEW_ROWS, MANY_ROWS, Peaks, targets
from benchmarks.peers.tools import Speeds
from streamframes.study.baselines.generated import FILES

NOTES = (
    "Million rows a second in the best of the rounds, reading the files included; - is what was not measured.",
    "All tools of a task found the same number of frames, except dbl-tempo, whose intervals are others.",
)
OTHER_ROWS = f"The targets are meant for {FEW_ROWS:,} and {MANY_ROWS:,} rows."


def report_of(
    measurements: Sequence[Measurement],
    peaks: Peaks,
    notes: Sequence[str],
    options: PeerOptions,
    java: str | None,
) -> Report:
    """What the measurements say."""
    speeds = speeds_of(measurements)
    tasks = [task.name for task in options.tasks]
    meant = set(options.rows) & {FEW_ROWS, MANY_ROWS}
    return Report(
        name="peers",
        title="Frames beside other tools",
        header=["rows", "keys", "tool", *tasks],
        cells=cells_of(speeds, tasks),
        measurements=[*map(_data, measurements), *(_held(place, peak) for place, peak in peaks.items())],
        targets=list(targets(speeds, peaks)),
        settings={
            "rows": " ".join(f"{rows:,}" for rows in options.rows),
            "keys": " ".join(f"{keys:,}" for keys in options.keys),
            "rounds": options.rounds,
            "files": FILES,
        },
        notes=[*NOTES, *notes, *([] if meant else [OTHER_ROWS])],
        java=java,
        saved_as=options.name,
    )


def speeds_of(measurements: Sequence[Measurement]) -> Speeds:
    """Millions of rows a second of those that were timed."""
    return {_place(each): each.mrows_per_second for each in measurements if each.seconds}


def _place(measurement: Measurement) -> tuple[int, int, str, str]:
    contender = measurement.contender
    return contender.rows, contender.keys, contender.task, contender.name


def cells_of(speeds: Speeds, tasks: Sequence[str]) -> list[list[str]]:
    """A row for each table and tool, a column for each task."""
    lines = sorted({(rows, keys, NAMES.index(name)) for rows, keys, _, name in speeds})
    return [
        [
            f"{rows:,}",
            f"{keys:,}",
            NAMES[place],
            *(_shown(speeds.get((rows, keys, task, NAMES[place]))) for task in tasks),
        ]
        for rows, keys, place in lines
    ]


def _shown(speed: float | None) -> str:
    return "-" if speed is None else f"{speed:.1f}" if speed >= 1 else f"{speed:.3f}"


def _data(measurement: Measurement) -> dict[str, Any]:
    rows, keys, task, tool = _place(measurement)
    return {
        "rows": rows,
        "keys": keys,
        "task": task,
        "tool": tool,
        "seconds": measurement.best if measurement.seconds else None,
        "mrows_per_second": measurement.mrows_per_second if measurement.seconds else None,
        "frames": measurement.frames,
        "rounds": measurement.seconds,
    }


def _held(place: tuple[int, int, str], peak: float) -> dict[str, Any]:
    rows, keys, task = place
    return {"rows": rows, "keys": keys, "task": task, "largest_worker_mib": peak}
