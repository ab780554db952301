"""The study of nested sessions: what ends with a session grows with its lifetime, and levels off."""

from __future__ import annotations

import pytest

from streamframes.study.experiments.nested import STUDY


@pytest.mark.spark
def test_longer_lives_hold_more_sessions_until_most_are_open(spark, monkeypatch):
    monkeypatch.setattr("streamframes.study.experiments.nested.LIFETIMES", (10, 100, 1_000))
    monkeypatch.setattr("streamframes.study.experiments.nested.MEASURES", {"H3": "A.avg(value)"})
    outcome = STUDY.run(STUDY.lab(spark, rows=60_000))
    short, middle, long = outcome.table("sessions").column("C")
    assert short < middle < long <= 100
    assert long / middle < middle / short
    assert all(claim.holds for claim in outcome.claims)
