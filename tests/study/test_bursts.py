"""The study of bursts: what holds of histograms on made-up traffic, and that the rest is told as it is."""

from __future__ import annotations

import numpy as np
import pytest

from streamframes.study.experiments.bursts import STUDY, _scores, settings_of


def test_precision_and_recall_of_nothing_are_whole():
    assert _scores(np.array([1, 2]), np.array([], np.int64)) == (1.0, 0.0)
    assert _scores(np.array([], np.int64), np.array([1])) == (0.0, 1.0)


def test_windows_that_cannot_be_learnt_are_left_out():
    assert max(setting.windows for setting in settings_of("sum", 4_000)) == 100
    assert max(setting.windows for setting in settings_of("sum", 400_000)) == 200


@pytest.mark.spark
def test_histograms_miss_nothing_and_need_no_more_memory_for_more_windows(spark, monkeypatch):
    monkeypatch.setattr("streamframes.study.experiments.bursts.VARIED", {"error": (0.01,), "windows": (50, 100)})
    monkeypatch.setattr("streamframes.study.experiments.bursts.AGGREGATES", ("sum",))
    monkeypatch.setattr("streamframes.study.baselines.burst_costs.NUMBERS", (50, 1_000))
    outcome = STUDY.run(STUDY.lab(spark, rows=60_000))
    accuracy = outcome.table("accuracy")
    every = accuracy.where(search="all")
    assert all(row["recall"] == 1 and row["precision"] >= 0.99 for row in every)
    for ours, all_windows in zip(accuracy.where(search="monotonic"), every, strict=True):
        assert 0 < ours["recall"] <= all_windows["recall"]
    last = {row["method"]: row["kilobytes"] for row in outcome.table("costs").where(windows=1_000)}
    assert last["histogram, monotonic"] < last["stardust"]
    verdicts = {claim.says: claim.holds for claim in outcome.claims}
    assert verdicts["The memory of a histogram does not depend on the number of windows."]
    assert verdicts["A histogram of every window that estimates too high misses no alarm."]
