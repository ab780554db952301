"""Key-partitioned reads or segments: what the files tell of the number of groups decides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.split import prefers_key_partitions, split_by_time
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan

ROWS = 300_000
DELTA, THRESHOLD = sf.Delta("v", "<", 1.0), sf.Threshold("w")


def preferred(folder: Path, scheme: Any, groups: int, *, measured: bool = False) -> bool:
    """Whether key-partitioned reads are taken for so many groups in two segments."""
    path = folder / "rows.parquet"
    columns = {
        "key": [f"key-{number % groups:06d}" for number in range(ROWS)],
        "ts": range(ROWS),
        "v": [1.0] * ROWS,
        "w": [True] * ROWS,
    }
    pq.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), path, 50_000)
    name, kind = ("w", pa.bool_()) if scheme is THRESHOLD else ("v", pa.float64())
    measures = (Measure("top", "max", 1, pa.float64()),) if measured else ()
    kinds, values = ((kind, pa.float64()), (name, "v")) if measured else ((kind,), (name,))
    plan = FramePlan(scheme, Clock("integer"), pa.schema([("key", pa.string())]), pa.int64(), kinds, measures=measures)
    selection = Selection(open_dataset(path), plan.layout, ("key", "ts", *values))
    return prefers_key_partitions(plan, selection, split_by_time(selection.chains, 2))


@pytest.mark.parametrize(("groups", "expected"), [(3, False), (20_000, True)])
def test_many_short_groups_are_dealt_out(tmp_path: Path, groups: int, expected: bool) -> None:
    assert preferred(tmp_path, DELTA, groups) is expected
    assert preferred(tmp_path, THRESHOLD, groups, measured=True) is expected


def test_heads_that_end_with_a_run_may_have_shorter_groups(tmp_path: Path) -> None:
    assert preferred(tmp_path, DELTA, 500)
    assert not preferred(tmp_path, THRESHOLD, 500, measured=True)


def test_seams_never_send_rows(tmp_path: Path) -> None:
    assert not preferred(tmp_path, THRESHOLD, 20_000)
