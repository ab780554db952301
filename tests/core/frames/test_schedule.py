"""Schedules: missing reports are inferred, as a slow loop says."""

from __future__ import annotations

import itertools
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.frames.schedule import Schedule
from streamframes.core.theory.trial import Frame, Trial
from tests.thoroughness import examples


def reference_events(rows: list[tuple[int, bool]], schedule: Schedule) -> list[tuple[str, int, bool]]:
    """Reports in order, one a tick, with a "missing" event for each tick that is empty."""
    rows = sorted(rows)
    phase = rows[0][0] if schedule.offset is None else schedule.offset

    def tick_of(ts: int) -> int | None:
        near = [k for k in range(-40, 60) if abs(phase + k * schedule.period - ts) <= schedule.jitter]
        return near[0] if near else None

    last_on_tick = {tick_of(ts): i for i, (ts, _) in enumerate(rows) if tick_of(ts) is not None}
    events: list[tuple[str, int, bool]] = []
    expected: int | None = None
    for i, (ts, where) in enumerate(rows):
        tick = tick_of(ts)
        if tick is not None and last_on_tick[tick] != i:
            continue
        first_open = min(k for k in range(-40, 60) if phase + k * schedule.period + schedule.jitter >= ts)
        upto = tick if tick is not None else first_open
        if expected is not None:
            events += [("missing", phase + k * schedule.period, False) for k in range(expected, upto)]
        expected = max(upto + (tick is not None), expected if expected is not None else upto)
        events.append(("row", ts, where))
    return events


def reference_frames(events: list[tuple[str, int, bool]], schedule: Schedule, min_rows: int) -> list[Frame]:
    frames: list[Frame] = []
    run: list[tuple[int, bool]] = []

    def close(why: str) -> None:
        if len(run) >= min_rows and run:
            imputed = sum(made_up for _, made_up in run) if schedule.imputes else None
            frames.append(Frame(run[0][0], run[-1][0], len(run), why, imputed=imputed))
        run.clear()

    for kind, ts, where in events:
        made_up = kind == "missing"
        if made_up and schedule.missing == "holds":
            continue
        if made_up and schedule.missing == "ends":
            close("gap")
        elif not (where if not made_up else schedule.missing == "true"):
            close("condition")
        elif run or not (made_up and schedule.open_on == "real"):
            run.append((ts, made_up))
    close("end of data")
    return frames


schedules = st.builds(
    Schedule,
    period=st.sampled_from([3, 4, 7]),
    jitter=st.sampled_from([0, 1]),
    offset=st.sampled_from([None, 0, 2]),
    missing=st.sampled_from(["ends", "holds", "true", "false"]),
    open_on=st.sampled_from(["any", "real"]),
)


@examples(150)
@given(
    schedule=schedules,
    rows=st.lists(st.tuples(st.integers(-20, 40), st.sampled_from([True, True, False])), min_size=1, max_size=14),
    min_rows=st.integers(1, 3),
    cuts=st.sets(st.integers(-20, 40), max_size=3),
)
def test_frames_on_a_schedule_are_those_of_a_slow_loop(
    schedule: Schedule, rows: list[tuple[int, bool]], min_rows: int, cuts: set[int]
) -> None:
    ts, where = [t for t, _ in rows], [w for _, w in rows]
    trial = Trial(sf.Threshold("w", min_rows=min_rows), ts=ts, columns={"w": where}, schedule=schedule)
    expected = reference_frames(reference_events(rows, schedule), schedule, min_rows)
    assert trial.frames([range(len(ts))]) == expected
    edges = [-100, *sorted(cuts), 100]
    batches = [[i for i, t in enumerate(ts) if low <= t < high] for low, high in itertools.pairwise(edges)]
    assert trial.frames(batches) == expected


@pytest.mark.parametrize(
    ("missing", "expected"),
    [
        ("ends", [Frame(0, 20, 2, "gap"), Frame(60, 60, 1, "end of data")]),
        ("holds", [Frame(0, 60, 3, "end of data")]),
        ("true", [Frame(0, 60, 4, "end of data", imputed=1)]),
        ("false", [Frame(0, 20, 2, "condition", imputed=0), Frame(60, 60, 1, "end of data", imputed=0)]),
    ],
)
def test_what_a_missing_report_does(missing: str, expected: list[Any]) -> None:
    schedule = Schedule(period=20, missing=missing)
    assert sf.frames_of(sf.Threshold("w"), ts=[0, 20, 60], where=[True] * 3, schedule=schedule) == expected
