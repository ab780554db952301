"""What fragments save: fewer rows wait, where episodes are long."""

from __future__ import annotations

import pytest

from streamframes.study import study
from streamframes.study.experiments.fragments import LEAST_ROWS, Waits, claims


def waits(without, with_them, seconds=(4.0, 4.0)):
    ways = zip((False, True), (without, with_them), seconds, strict=True)
    return {(least, way): Waits((5, most), took) for way, most, took in ways for least in LEAST_ROWS}


def test_the_verdicts_follow_the_rows_that_wait():
    assert [claim.holds for claim in claims(waits(1000, 90), spanned=12)] == [True, True]
    assert [claim.holds for claim in claims(waits(1000, 110), spanned=12)] == [False, True]
    assert [claim.holds for claim in claims(waits(1000, 90, (4, 6)), spanned=12)] == [True, False]


def test_short_episodes_cannot_tell():
    assert claims(waits(100, 90), spanned=0.9)[0].holds is None


@pytest.mark.spark
def test_fragments_cut_what_waits_by_an_order_of_magnitude(spark, monkeypatch):
    monkeypatch.setattr("streamframes.study.experiments.fragments.LEAST_ROWS", (20,))
    chosen = study("fragments")
    found = chosen.run(chosen.lab(spark, rows=6_000))
    assert found.claims[0].holds
    whole, pieces = found.table("fragments").where(min_rows=20)
    assert whole["waiting_max"] >= 10 * pieces["waiting_max"]
    assert whole["waiting_avg"] > pieces["waiting_avg"]
    assert len(found.pictures[0].draw().axes) == 1
