"""Tools of other environments: PyFlink and dbl-tempo, on tables of their own that are far smaller.

They time themselves, without the start of their engine, and run after one another, not in turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from subprocess import CalledProcessError, SubprocessError, TimeoutExpired

from rich.console import Console

from benchmarks.kit.rounds import Contender, Disagreement, Measurement
from benchmarks.peers import tempo_queries
from benchmarks.peers.limit import walked
from benchmarks.peers.options import PeerOptions
from streamframes.study.baselines.flink_queries import flink_frames
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import Task

FLINK, TEMPO = "PyFlink MATCH_RECOGNIZE", "dbl-tempo state intervals"
SHORT = {"flink": FLINK, "tempo": TEMPO}
FLINK_ROWS, TEMPO_ROWS = 50_000, 2_000_000
MOST_KEYS = 1_000
NOTES = {
    FLINK: "read from CSV; frames that are open at the end it does not find",
    TEMPO: "it leaves out states of one row and does not count rows",
}


def measured_outside(options: PeerOptions, console: Console) -> Iterator[Measurement | str]:
    """What was seen of both; a text for one that is absent or fails, and what is to be known of one that is not."""
    for short, python, most in (("flink", options.flink, FLINK_ROWS), ("tempo", options.tempo, TEMPO_ROWS)):
        if short not in options.tools:
            continue
        name = SHORT[short]
        if python is None:
            yield f"{name}: left out; --{short} names the Python of an environment that has it."
            continue
        rows = min(most, *options.rows)
        yield f"{name} ran on {rows:,} rows; {NOTES[name]}."
        for keys in (keys for keys in options.keys if keys <= MOST_KEYS):
            shape = Shape(rows, keys)
            for task in (task for task in options.tasks if _can(name, task)):
                console.print(f"{task.name}, {keys} keys, {name}", highlight=False)
                yield _measured(name, task, shape, python, options)


def _can(name: str, task: Task) -> bool:
    return tempo_queries.can(task) if name == TEMPO else not task.measures


def _measured(name: str, task: Task, shape: Shape, python: str, options: PeerOptions) -> Measurement | str:
    paths = files(shape, options.cache)
    try:
        frames, seconds = (_tempo if name == TEMPO else _flink)(task, paths, python, options.rounds)
    except SubprocessError as error:
        return f"{name}, {task.name}, {shape.keys} keys: {_reason(error)}."
    return Measurement(Contender(name, task.name, shape.keys, shape.rows, _ran, _uncounted), frames, seconds)


def _tempo(task: Task, paths: Sequence[str], python: str, rounds: int) -> tuple[None, list[float]]:
    return None, [tempo_queries.tempo_intervals(task, paths, python, rounds).seconds]


def _flink(task: Task, paths: Sequence[str], python: str, rounds: int) -> tuple[int, list[float]]:
    matched = [flink_frames(task, paths, python) for _ in range(rounds)]
    truth = walked(task, paths)
    closed = truth.table.num_rows - truth.n_open
    if matched[0].frames != closed:
        raise Disagreement(f"{task.name}: {FLINK} found {matched[0].frames:,} frames, there are {closed:,}")
    return truth.table.num_rows, [each.seconds for each in matched]


def _reason(error: SubprocessError) -> str:
    if isinstance(error, TimeoutExpired):
        return f"took more than {error.timeout:.0f} s"
    lines = str(error.stderr).strip().splitlines() if isinstance(error, CalledProcessError) else []
    return f"failed: {lines[-1] if lines else error}"


def _ran() -> None:
    """It ran elsewhere."""


def _uncounted() -> None:
    """It counted elsewhere."""
