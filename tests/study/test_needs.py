"""What studies take of given data: the columns they need, in the kinds they need, and of several roads the largest."""

from __future__ import annotations

import pytest

from streamframes.errors import InvalidArgument
from streamframes.study import study
from streamframes.study.experiments.regions import STUDY as REGIONS
from streamframes.study.experiments.regions import _made
from streamframes.study.kit import Need, Study

pytestmark = pytest.mark.spark
TOY = Study(
    "toy",
    "A toy",
    "a paper",
    10,
    "rows",
    (Need("t", "when"), Need("v", "a value", ("w / 2",), kind="number"), Need("g", "whose", optional=True)),
    lambda lab: None,
    least=1,
)


def test_nan_is_no_number(spark):
    rows = spark.sql("SELECT 1 AS t, double('NaN') AS v UNION ALL SELECT 2, 0.5")
    assert sorted(map(tuple, TOY.lab(spark, data=rows).data.collect())) == [(1, None), (2, 0.5)]


def test_another_spelling_is_told(spark):
    lab = TOY.lab(spark, data=spark.sql("SELECT 1 AS t, 3 AS w"), source="a.csv")
    assert lab.source == "1 rows of a.csv with v = w / 2"
    assert [tuple(row) for row in lab.data.collect()] == [(1, 1.5)]


def test_text_is_refused_where_a_number_is_needed(spark):
    rows = spark.sql("SELECT 1 AS t, 'fast' AS v")
    with pytest.raises(InvalidArgument, match=r"needs 'v' \(a value\) to be a number, and in a.csv it is a string"):
        TOY.lab(spark, data=rows, source="a.csv")


def test_the_largest_group_is_taken_and_named(spark):
    rows = spark.sql("SELECT explode(array(1, 2, 3)) AS t, 1D AS v, 'a' AS g UNION ALL SELECT 1, 2D, null")
    lab = TOY.lab(spark, data=rows)
    largest, word = lab.largest(lab.data, "g")
    assert largest.count() == 3
    assert word == "; of these the 3 of g a"


def test_reports_of_several_lanes_are_one(spark):
    reports = REGIONS.lab(spark, rows=50_000, seed=1)
    found = REGIONS.run(reports).table("regions")
    made = _made(reports).toDF(spark)
    lanes = made.unionAll(made)
    twice = REGIONS.run(REGIONS.lab(spark, data=lanes, source="lanes")).table("regions")
    assert twice.rows == found.rows


def test_a_group_may_be_null_and_have_quotes(spark):
    rows = spark.sql(
        "SELECT id AS scan, if(id % 500 BETWEEN 100 AND 160, 1D, 0D) AS fluorescence, "
        'if(id < 2500, null, "O\'Neill") AS cast FROM range(5000)'
    )
    chosen = study("timeline")
    found = chosen.run(chosen.lab(spark, data=rows))
    assert found.table("timeline").where(way="frames")
