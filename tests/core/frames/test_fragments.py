"""Fragments: a frame is reported as soon as it is certain, and again whenever it has grown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import streamframes as sf
from streamframes.core.theory.trial import Trial, start_operator


def test_fragments_are_numbered_and_the_last_is_the_frame() -> None:
    trial = Trial(sf.Threshold("w", min_rows=2), ts=[1, 2, 3, 4], columns={"w": [True, True, True, False]})
    operator = start_operator(replace(trial.plan, fragments=True), live=True)
    reported = []
    for i in range(4):
        for batch in operator.feed(trial.released([i]), np.array([i + 1])):
            reported += [(row["frame_fragment"], row["frame_end"], row["frame_final"]) for row in batch.to_pylist()]
    assert reported == [(0, 2, False), (1, 3, False), (2, 3, True)]


def test_an_aggregate_that_must_grow_to_its_bound_has_no_fragments() -> None:
    trial = Trial(sf.Aggregate("sum(n)", ">=", 9), ts=[1, 2, 3], columns={"n": [4, 4, 4]})
    operator = start_operator(replace(trial.plan, fragments=True), live=True)
    batches = [batch for i in range(3) for batch in operator.feed(trial.released([i]), np.array([i + 1]))]
    assert [batch.column("frame_fragment").to_pylist() for batch in batches] == [[0]]
