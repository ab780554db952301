"""Patterns: other ways find the same frames, take more writing, and one that is absent does no harm."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
import sqlglot

from streamframes.study.baselines import flink_queries
from streamframes.study.baselines.flink_queries import Matched, flink_query
from streamframes.study.baselines.rivals import CANNOT, FLINK, OURS, SPARK
from streamframes.study.baselines.tasks import TASKS, Task
from streamframes.study.experiments import patterns
from streamframes.study.experiments.patterns import STUDY

MATCH = Path(__file__).resolve().parents[3] / "shared" / "data" / "4_soccer" / "skillcorner_tracking_10hz.parquet"


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_what_is_matched_is_sql(task: Task) -> None:
    quoted = flink_query(task).replace("`", '"')
    assert sqlglot.parse_one(quoted, dialect="snowflake").find(sqlglot.exp.MatchRecognize)


@pytest.mark.spark
def test_all_ways_find_the_same_frames_and_are_more_to_write(spark: Any) -> None:
    outcome = STUDY.run(STUDY.lab(spark, rows=20_000))
    table = outcome.table("patterns")
    for task in ("threshold", "delta", "aggregate", "boundary"):
        ours, *others = table.where(task=task)
        assert ours["way"] == OURS
        found = [row for row in others if row["frames"] is not None]
        assert found
        assert {(row["frames"], row["frame_rows"]) for row in found} == {(ours["frames"], ours["frame_rows"])}
        assert all(row["lines"] > ours["lines"] for row in others if row["lines"])
        assert all(row["seconds"] > 0 for row in [ours, *found])
    assert [row["remark"] for row in table.where(way=SPARK)] == ["", CANNOT, CANNOT, ""]
    same, _, shorter = outcome.claims
    assert same.holds
    assert shorter.holds
    assert {row["way"] for row in outcome.table("queries").where()} >= {OURS, SPARK, FLINK}
    assert len(outcome.pictures[0].draw().axes) == 2


@pytest.mark.spark
def test_matches_that_lack_open_frames_agree_and_a_failure_is_told(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def match(task: Task, files: list[str]) -> Matched:
        if task.name != "threshold":
            raise subprocess.CalledProcessError(1, "flink")
        rows = spark.read.parquet(*files)
        import streamframes as sf

        closed = sf.frames(rows, task.scheme, ts="ts", by="key").toDF().where("frame_closed_by = 'condition'")
        n, covered = closed.selectExpr("count(*)", "sum(frame_rows)").first()
        return Matched(n, covered, 1.5)

    monkeypatch.setattr(flink_queries, "is_installed", lambda: True)
    monkeypatch.setattr(flink_queries, "flink_frames", match)
    monkeypatch.setattr(patterns, "_ROUNDS", 1)
    outcome = STUDY.run(STUDY.lab(spark, rows=5_000))
    threshold, delta, *_ = outcome.table("patterns").where(way=FLINK)
    assert threshold["seconds"] == 1.5
    assert outcome.claims[0].holds
    assert delta["remark"].startswith("failed: ")
    assert delta["frames"] is None


@pytest.mark.spark
@pytest.mark.skipif(not MATCH.exists(), reason="shared data is not here")
def test_a_real_match_is_framed_alike_by_all(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_ROUNDS", 1)
    lab = STUDY.lab(spark, data=spark.read.parquet(str(MATCH)).where("frame < 6000"), source=MATCH.name)
    outcome = STUDY.run(lab)
    assert outcome.claims[0].holds
    assert outcome.data.endswith("value = CAST(x_m AS DOUBLE)")
