"""Comparisons: what figures of windows say of the claims, without Spark."""

from __future__ import annotations

import pytest

from streamframes.study.report.comparison import COLUMNS, Comparison, claims, picture
from streamframes.study.report.outcome import Table


def comparison(frames=10, frame_rows=100, **figures):
    """Two lengths; `figures` are rows wrong and percent of frames missed, by heuristic."""
    rows = [
        [length, name, frames, frame_rows, 50, 5, figures[name][place][0], figures[name][place][1], None]
        for place, length in enumerate((5, 60))
        for name in ("min", "max", "avg")
    ]
    return Comparison(Table("t", "title", ["window", "heuristic", *COLUMNS], rows), "rows", "max")


AS_CLAIMED = {"min": [(9, 0.0), (80, 50.0)], "max": [(5, 0.0), (101, 0.0)], "avg": [(4, 0.0), (60, 20.0)]}


def verdicts(found):
    return [claim.holds for claim in claims(found)]


def test_claims_hold_where_the_figures_bear_them_out():
    assert verdicts(comparison(**AS_CLAIMED)) == [True] * 4


@pytest.mark.parametrize(
    ("claim", "changed"),
    [
        (0, {"max": [(5, 10.0), (101, 0.0)], "min": [(9, 10.0), (80, 50.0)]}),
        (1, {"avg": [(4, 0.0), (60, 50.0)]}),
        (1, {"avg": [(4, 10.0), (60, 20.0)]}),
        (2, {"max": [(5, 0.0), (100, 0.0)]}),
        (3, {"avg": [(0, 0.0), (60, 20.0)]}),
    ],
)
def test_each_claim_falls_with_its_figure(claim, changed):
    told = verdicts(comparison(**{**AS_CLAIMED, **changed}))
    assert [place for place, holds in enumerate(told) if not holds] == [claim]


def test_nothing_can_be_told_without_frames():
    nothing = {name: [(0, None), (3, None)] for name in ("min", "max", "avg")}
    assert verdicts(comparison(frames=0, frame_rows=0, **nothing)) == [None] * 4


def test_the_picture_has_a_line_for_each_heuristic_and_one_for_the_frames():
    drawn = picture(comparison(**AS_CLAIMED), "all of them").axes
    assert [axes.get_title(loc="left") for axes in drawn] == ["rows wrong", "frames missed", "false alarms"]
    assert [axes.get_xlabel() for axes in drawn] == ["length of windows (rows)"] * 3
    named = [line.get_label() for line in drawn[0].get_lines()]
    assert named == ["min (conservative)", "max (liberal)", "avg", "rows in frames"]
