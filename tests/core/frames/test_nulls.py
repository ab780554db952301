"""What a null condition does to a Threshold frame: not satisfied, left out, or a break.

Covers: streamframes.core.frames.inputs
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import streamframes as sf
from streamframes.core.theory.reference import reference_frames
from streamframes.core.theory.trial import Frame, Trial, frames_in, start_operator

CLOSED = "condition"
OPEN = "end of data"


def both_ways(scheme: sf.Threshold, **columns: list[Any]) -> list[Frame]:
    """The frames by the operator, which must be those of the reference."""
    ts = range(1, 1 + len(columns["where"]))
    found = sf.frames_of(scheme, ts=ts, **columns)
    inputs = [dict(zip(("in0", "in1"), row, strict=False)) for row in zip(*columns.values(), strict=True)]
    assert found == reference_frames(scheme, [{"ts": t, **row} for t, row in zip(ts, inputs, strict=True)])
    return found


def test_a_null_breaks_a_frame_with_hysteresis() -> None:
    scheme = sf.Threshold("v < 0.1", until="v > 0.2", nulls="break")
    where, until = [True, None, False, False, True], [False, None, False, True, False]
    assert both_ways(scheme, where=where, until=until) == [Frame(1, 1, 1, CLOSED), Frame(5, 5, 1, OPEN)]


@pytest.mark.parametrize(
    ("nulls", "null", "expected"),
    [
        # Not satisfied: an open frame goes on, as `until` is not satisfied either.
        (None, "where", [Frame(1, 3, 3, OPEN)]),
        (None, "until", [Frame(1, 3, 3, OPEN)]),
        # Left out: the row is no member.
        ("skip", "where", [Frame(1, 3, 2, OPEN)]),
        ("skip", "until", [Frame(1, 3, 2, OPEN)]),
        # A break, whichever of the two is null.
        ("break", "where", [Frame(1, 1, 1, CLOSED), Frame(3, 3, 1, OPEN)]),
        ("break", "until", [Frame(1, 1, 1, CLOSED), Frame(3, 3, 1, OPEN)]),
    ],
)
def test_either_condition_may_be_null(nulls: str | None, null: str, expected: list[Frame]) -> None:
    columns: dict[str, list[Any]] = {"where": [True, True, True], "until": [False, False, False]}
    columns[null][1] = None
    assert both_ways(sf.Threshold("w", until="u", nulls=nulls), **columns) == expected


def test_a_null_that_breaks_is_bridged_by_no_merge_gap() -> None:
    where = [True, None, True, False, True]
    joined = [Frame(1, 1, 1, CLOSED), Frame(3, 5, 3, OPEN)]
    assert both_ways(sf.Threshold("w", merge_gap=10, nulls="break"), where=where) == joined


def test_a_null_that_breaks_is_in_no_gap_frame() -> None:
    frames = both_ways(sf.Threshold("w", gaps=True, nulls="break"), where=[True, False, None, False])
    assert [(frame.start, frame.end, frame.kind, frame.closed_by) for frame in frames] == [
        (1, 1, "episode", CLOSED),
        (2, 2, "gap", CLOSED),
        (4, 4, "gap", OPEN),
    ]


def test_a_stream_reports_a_frame_that_a_null_breaks() -> None:
    scheme = sf.Threshold("w", until="u", merge_gap=10, nulls="break")
    trial = Trial(scheme, ts=[1, 2, 3], columns={"where": [True, None, False], "until": [False, None, False]})
    operator = start_operator(trial.plan, live=True)
    assert frames_in(operator.feed(trial.released([0]), np.array([2]))) == []
    assert frames_in(operator.feed(trial.released([1]), np.array([3]))) == [Frame(1, 1, 1, CLOSED)]
