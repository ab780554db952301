"""The study of dye by density: frames put dye in its place, and distances are those of moving earth."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from streamframes.study.experiments.histogram import STUDY, Histogram

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "1_ctd"


def test_the_distance_counts_bins_and_not_how_much_dye_there_is():
    there = Histogram(np.array([4.0, 0.0, 0.0]), 1)
    assert there.distance(Histogram(np.array([0.0, 0.0, 9.0]), 1)) == 2
    assert there.distance(Histogram(np.array([8.0, 0.0, 0.0]), 1)) == 0
    assert math.isnan(there.distance(Histogram(np.zeros(3), 0)))


@pytest.mark.spark
def test_frames_are_nearer_to_depth_slices_than_as_many_windows_at_every_delta(spark):
    outcome = STUDY.run(STUDY.lab(spark, rows=60_000))
    rows = outcome.table("distances").where()
    for row in rows:
        assert row["frames off"] < row["windows off"]
        assert row["frames"] <= row["windows"] <= 1.1 * row["frames"]
        assert 0 < row["saved"] < 1
    assert len(rows) == 3
    assert [claim.holds for claim in outcome.claims] == [True]
    dye = outcome.table("bins")
    assert sum(dye.column("frames")) == pytest.approx(sum(dye.column("slices")), rel=0.01)
    assert [len(picture.draw().axes) for picture in outcome.pictures] == [6, 1]


@pytest.mark.spark
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_a_real_tow_has_its_density_from_salinity_and_temperature(spark):
    path = SHARED / "isiis_tow_20101016_1832.csv.gz"
    data = spark.read.csv(str(path), header=True, inferSchema=True)
    outcome = STUDY.run(STUDY.lab(spark, data=data, source="isiis"))
    assert "density = ((999.84" in outcome.data
    assert 1_020 < min(outcome.table("bins").column("density")) < 1_027
    assert [claim.holds for claim in outcome.claims] == [True]


@pytest.mark.spark
def test_without_dye_nothing_can_be_told(spark):
    rows = spark.range(2_000).selectExpr(
        "id AS scan", "0.0 AS fluorescence", "5.0 + id % 40 AS depth_m", "1025.0 AS density"
    )
    (claim,) = STUDY.run(STUDY.lab(spark, data=rows, source="toy")).claims
    assert claim.verdict == "undecided"
