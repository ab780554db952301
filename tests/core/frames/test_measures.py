"""Measures on their own: made-up reports take no part, sums do not wrap around.

Covers: streamframes.core.frames.measures.measure, streamframes.core.frames.measures.numbers,
streamframes.core.frames.measures.first_last, streamframes.core.frames.measures.user_folds,
streamframes.core.frames.measures.accumulators
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.frames.schedule import Schedule
from streamframes.core.theory.trial import Trial, start_operator


def measured(ts: list[int], where: list[bool], values: list[Any], measures: list[Any], cuts: int, **plan: Any) -> Any:
    """The frames with measures when the rows come in batches of `cuts`."""
    trial = Trial(sf.Threshold("w"), ts=ts, columns={"w": where})
    trial.arrays.append(pa.array(values))
    made = FramePlan(
        scheme=trial.scheme,
        clock=Clock("integer"),
        keys=pa.schema([]),
        ts_type=pa.int64(),
        columns=tuple(array.type for array in trial.arrays),
        measures=tuple(measures),
        **plan,
    )
    operator, found = start_operator(made), []
    for at in range(0, len(ts), cuts):
        found += operator.feed(trial.released(list(range(at, min(at + cuts, len(ts))))))
    return [row for batch in [*found, *operator.finish()] for row in batch.to_pylist()]


@pytest.mark.parametrize("cuts", [1, 2, 9])
def test_made_up_reports_take_no_part_in_measures(cuts: int) -> None:
    measures = [
        Measure("n", "count", None, pa.int64()),
        Measure("a", "first", 1, pa.string()),
        Measure("z", "last", 1, pa.string()),
    ]
    schedule = Schedule(period=10, missing="true")
    rows = measured(
        [0, 30, 50, 80], [False, False, True, False], ["p", "q", "r", "s"], measures, cuts, schedule=schedule
    )
    seen = [(row["frame_start"], row["frame_rows"], row["frame_imputed"], row["n"], row["a"], row["z"]) for row in rows]
    assert seen == [(10, 2, 2, 0, None, None), (40, 4, 3, 1, "r", "r")]


def test_a_sum_of_longs_that_overflows_is_an_error() -> None:
    total = Measure("total", "sum", 1, pa.int64())
    with pytest.raises(sf.StreamFramesError, match=r"the sum 'total' exceeds a long; write sum\(cast"):
        measured([1, 2], [True, True], [2**62, 2**62], [total], 2)
    assert measured([1, 2], [True, True], [2**62, -(2**62)], [total], 1)[0]["total"] == 0
