"""Frames and windows along one signal: the three errors are in the stretch that was chosen."""

from __future__ import annotations

import pytest

from streamframes.errors import StreamFramesError
from streamframes.study import study

pytestmark = pytest.mark.spark


def test_a_stretch_shows_edges_that_are_off_a_miss_and_a_false_alarm(spark):
    chosen = study("timeline")
    found = chosen.run(chosen.lab(spark, rows=60_000))
    assert [claim.holds for claim in found.claims] == [True] * 3
    low, high = found.settings["from"], found.settings["to"]
    table = found.table("timeline")
    assert all(low <= end and start <= high for _, start, end in table.rows)
    assert len(table.where(way="max")) > len(table.where(way="avg")) > len(table.where(way="min")) > 0
    ticks = [text.get_text() for text in found.pictures[0].draw().axes[1].get_yticklabels()]
    assert ticks == ["windows by min", "windows by avg", "windows by max", "frames"]


def test_the_stretch_is_of_one_group(spark):
    chosen = study("timeline")
    dyed = "CASE WHEN cast = 'b' AND scan BETWEEN 130 AND 175 THEN 0.9 ELSE 0.1 END"
    rows = spark.range(1, 601).selectExpr("id AS scan", "explode(array('a', 'b')) AS cast")
    found = chosen.run(chosen.lab(spark, data=rows.selectExpr("*", f"{dyed} AS fluorescence")))
    assert found.table("timeline").where(way="frames") == [{"way": "frames", "start_scan": 130, "end_scan": 175}]


def test_without_frames_there_is_nothing_to_draw(spark):
    chosen = study("timeline")
    rows = spark.range(2_000).selectExpr("id AS scan", "IF(id % 10 < 3, 0.9, 0.1) AS fluorescence")
    with pytest.raises(StreamFramesError, match="there is no frame of fluorescence"):
        chosen.run(chosen.lab(spark, data=rows))
