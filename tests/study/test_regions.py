"""The study of regions: what it claims holds on made-up jams, and on a real road."""

from __future__ import annotations

from pathlib import Path

import pytest

from streamframes.study.experiments.regions import STUDY

pytestmark = pytest.mark.spark
A5 = Path(__file__).resolve().parents[3] / "shared" / "data" / "2_freeway" / "a5_frankfurt_20010611_1min.csv.gz"


def test_both_methods_agree_and_shapes_capture_more_than_rectangles(spark):
    outcome = STUDY.run(STUDY.lab(spark, rows=50_000, seed=1))
    searches = {row["search"]: row for row in outcome.table("regions").where()}
    assert searches["Method I"]["regions"] == searches["Method II"]["regions"] > 0
    assert searches["best of those that overlap"]["regions"] < searches["Method II"]["regions"]
    assert searches["connected"]["slow reports inside"] > searches["Method II"]["slow reports inside"]
    assert all(claim.holds for claim in outcome.claims)


@pytest.mark.skipif(not A5.exists(), reason="real data is not beside the project")
def test_the_largest_jam_of_a_real_road_is_one_connected_region(spark):
    data = spark.read.csv(str(A5), header=True, inferSchema=True)
    outcome = STUDY.run(STUDY.lab(spark, data=data, source=A5.name))
    (connected,) = outcome.table("regions").where(search="connected")
    assert connected["reports in the largest"] == 2_011
    assert outcome.data.startswith("44,640 rows of a5_frankfurt")
    assert all(claim.holds for claim in outcome.claims)
