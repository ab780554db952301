"""Membership: rows wait until their run is a frame, or has ended without becoming one.

Covers: streamframes.core.frames.membership, streamframes.core.frames.tagged_rows
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.operator import FrameOperator, FramePlan
from streamframes.core.theory.trial import Trial, start_operator

TS, WHERE = [1, 2, 3, 4, 5], [True, False, True, True, False]


def tagging(*, keep_outside: bool) -> tuple[FrameOperator, Trial]:
    """An operator that tags the rows of frames of at least two rows."""
    scheme = sf.Threshold("w", min_rows=2)
    plan = FramePlan(
        scheme=scheme,
        clock=Clock("integer"),
        keys=pa.schema([]),
        ts_type=pa.int64(),
        columns=(pa.bool_(),),
        tags=(TagColumn("ts", "ts", 0, pa.int64()),),
        keep_outside=keep_outside,
    )
    return start_operator(plan), Trial(scheme, ts=TS, columns={"w": WHERE})


def instants(batches: list[pa.RecordBatch]) -> list[int]:
    """The instants of tagged rows, in order."""
    return sorted(row["ts"] for batch in batches for row in batch.to_pylist())


@pytest.mark.parametrize(
    ("keep_outside", "expected"), [(False, [[], [], [], [3, 4], []]), (True, [[], [1, 2], [], [3, 4], [5]])]
)
def test_a_row_goes_on_when_its_run_is_decided(keep_outside: bool, expected: list[list[int]]) -> None:
    operator, trial = tagging(keep_outside=keep_outside)
    assert [instants(operator.feed(trial.released([i]))) for i in range(5)] == expected
    assert operator.finish() == []


def test_the_end_of_the_data_decides_what_still_waits() -> None:
    operator, trial = tagging(keep_outside=True)
    operator.feed(trial.released([0]))
    assert operator.figures() == {"open": 1, "held": 1}
    [batch] = operator.finish()
    assert batch.to_pylist() == [{"ts": 1, "frame_id": None}]


def test_all_rows_of_a_frame_have_its_id() -> None:
    operator, trial = tagging(keep_outside=False)
    batches = [*operator.feed(trial.released(list(range(5)))), *operator.finish()]
    ids = np.concatenate([batch.column("frame_id").to_numpy() for batch in batches])
    assert np.unique(ids).size == 1
