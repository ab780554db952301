"""What frames cost beside windows: the same order, whatever else the machine does."""

from __future__ import annotations

import pytest

from streamframes.study import study
from streamframes.study.experiments.runtime import FRAMES, SPARK, WINDOWS, Timed, claims


def times(frames, windows):
    return Timed("traffic", "seconds", [20, 60], {(FRAMES, 0): frames, (WINDOWS, 20): windows, (WINDOWS, 60): windows})


def test_the_verdicts_follow_the_times():
    assert [claim.holds for claim in claims(times(1.0, 1.1))] == [True, True]
    assert [claim.holds for claim in claims(times(1.2, 1.1))] == [True, False]
    assert [claim.holds for claim in claims(times(2.0, 1.1))] == [False, False]


@pytest.mark.spark
def test_frames_and_windows_take_times_of_the_same_order(spark, monkeypatch):
    monkeypatch.setattr("streamframes.study.experiments.runtime.SECONDS", (60, 960))
    monkeypatch.setattr("streamframes.study.experiments.runtime.SIZES", (20, 120))
    chosen = study("runtime")
    found = chosen.run(chosen.lab(spark, rows=50_000))
    table = found.table("runtime")
    assert all(row["frames_to_it"] < 4 for row in table.where(way=WINDOWS))
    assert len(table.where(way=WINDOWS)) == 4
    assert len(table.where(way=SPARK)) == 2
    traffic, dye = found.pictures[0].draw().axes
    assert [line.get_label() for line in traffic.get_lines()] == [WINDOWS, SPARK, FRAMES]
    assert [line.get_label() for line in dye.get_lines()] == [WINDOWS, FRAMES]
