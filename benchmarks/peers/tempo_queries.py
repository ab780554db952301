"""State intervals of dbl-tempo, where an environment has it; the nearest it has to Threshold and Boundary.

They are not the same frames: states of one row are left out, and an interval names neither its state nor how many
rows it has, so that runs of at least six rows cannot be distinguished from others.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from streamframes.study.baselines.elsewhere import answer
from streamframes.study.baselines.tasks import Task

_JOB = Path(__file__).with_name("tempo_job.py")
_STATES = {"threshold": "value > 0.5", "boundary": "ceil(value * 4)"}


@dataclass(frozen=True)
class Intervals:
    """How many were found, and the seconds of the best round without the start of Spark."""

    intervals: int
    seconds: float


def can(task: Task) -> bool:
    """Whether a state says it."""
    return task.name in _STATES


def tempo_intervals(task: Task, files: Sequence[str], python: str, rounds: int = 1) -> Intervals:
    """Find them, in a process of its own; raises `subprocess.SubprocessError` where that fails."""
    question = {"files": list(files), "state": _STATES[task.name], "rounds": rounds}
    return Intervals(**answer(python, _JOB, json.dumps(question)))
