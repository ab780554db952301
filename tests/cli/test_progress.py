"""Progress of Spark's jobs, and their failures in one line."""

from __future__ import annotations

import pytest

from streamframes.errors import StreamFramesError
from streamframes.spark.failures import plain_failures, reason
from streamframes.spark.progress import counted, watched


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[PATH_NOT_FOUND] Path does not exist: a. SQLSTATE: 42K03\n\tat org.apache", "Path does not exist: a."),
        ("plain\nmore", "plain"),
        ("An exception was thrown:\nTraceback (most recent call last):\n  File\nValueError: 7", "ValueError: 7"),
        ("", "RuntimeError"),
    ],
)
def test_the_line_that_tells_most_is_chosen(text, line):
    assert reason(RuntimeError(text)) == line


def test_a_session_without_a_tracker_runs_unwatched():
    reports = []
    with watched(object(), reports.append):
        pass
    assert reports == []


@pytest.mark.spark
def test_tasks_are_reported_while_a_job_runs(spark):
    reports = []
    with watched(spark, reports.append, every=0.01):
        spark.range(0, 100_000, 1, 4).repartition(3).selectExpr("sum(id)").collect()
    assert max(each.total for each in reports) >= 4
    assert all(0 <= each.done <= each.total for each in reports)
    assert spark.sparkContext.getLocalProperty("spark.jobGroup.id") is None


@pytest.mark.spark
def test_rows_are_counted_as_they_pass(spark):
    rows, total = counted(spark.range(7).selectExpr("-id AS x"))
    assert [row.x for row in rows.orderBy("x").limit(2).collect()] == [-6, -5]
    assert total() == 7


@pytest.mark.spark
def test_a_failure_of_a_worker_is_one_line(spark, capfd):
    def fail(batches):
        raise ValueError("seven")

    with pytest.raises(StreamFramesError, match=r"^it failed: ValueError: seven$"), plain_failures("it failed"):
        spark.range(1).mapInArrow(fail, "id long").collect()
    with pytest.raises(StreamFramesError, match=r"`nope` cannot be resolved"), plain_failures("it failed"):
        spark.range(1).selectExpr("nope")
    assert "errorClass" not in capfd.readouterr().err
