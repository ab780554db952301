"""The study of scatter plots: frames draw them more truly, and grids are counted right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from streamframes.errors import StreamFramesError
from streamframes.study.data.raster import FINE, Extent, jaccard, occupied
from streamframes.study.experiments.scatter import GRIDS, KINDS, STUDY

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "1_ctd"


def test_coarse_cells_are_made_of_whole_fine_ones():
    assert all(FINE % grid == 0 for grid in GRIDS)
    values = np.random.default_rng(0).uniform(-3, 5, 2_000)
    fine = Extent(-3, 5).cells(values)
    for grid in GRIDS:
        plain = np.floor((values + 3) / 8 * grid).astype(int)
        assert {x for x, _ in occupied(fine, fine, grid=grid)} == set(plain.tolist())


def test_the_ends_of_an_axis_are_in_its_first_and_last_cell():
    assert Extent(2, 4).cells(np.array([2.0, 4.0])).tolist() == [0, FINE - 1]
    assert Extent(2, 2).cells(np.array([2.0])).tolist() == [0]


def test_the_distance_of_equal_plots_is_zero_and_of_disjoint_ones_one():
    cells = {(1, 2), (3, 4)}
    assert jaccard(cells, set(cells)) == 0
    assert jaccard(cells, {(9, 9)}) == 1
    assert jaccard(set(), set()) == 0


@pytest.mark.spark
def test_frames_are_nearer_to_all_rows_than_windows_and_samples_on_every_grid(spark):
    outcome = STUDY.run(STUDY.lab(spark, rows=60_000))
    for row in outcome.table("distances").where():
        assert 0 < row["frames"] < min(row[way] for way in KINDS if way != "frames"), row
    for row in outcome.table("points").where():
        assert row["frames"] <= row["windows"] == row["samples"] == row["random samples"] <= 1.1 * row["frames"]
    assert len(outcome.claims) == 3
    assert all(claim.holds for claim in outcome.claims)
    assert [len(picture.draw().axes) for picture in outcome.pictures] == [4, 3]


@pytest.mark.spark
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
def test_a_real_tow_is_read_as_it_is_and_told_of_honestly(spark):
    path = SHARED / "isiis_tow_20101016_1832.csv.gz"
    data = spark.read.csv(str(path), header=True, inferSchema=True)
    outcome = STUDY.run(STUDY.lab(spark, data=data, source="isiis"))
    assert "fluorescence = fluor_volts" in outcome.data
    assert "847 rows" in outcome.notes[0]
    assert [claim.holds for claim in outcome.claims] == [True, False, False]


@pytest.mark.spark
def test_what_does_not_look_like_the_sea_is_refused(spark):
    rows = spark.range(2_000).selectExpr("id AS scan", "1.0 AS fluorescence", "-5.0 AS depth_m")
    with pytest.raises(StreamFramesError, match=r"no row of .*toy has values with 2 <= depth_m <= 11,000"):
        STUDY.run(STUDY.lab(spark, data=rows, source="toy"))
