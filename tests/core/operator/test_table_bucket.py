"""Tables without an engine: any batches, any buckets, any order give the frames of each group."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Packer
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator import table_bucket
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.core.theory.reference import reference_frames
from streamframes.core.theory.trial import frames_in
from tests.thoroughness import examples

KEYS = pa.schema([("name", pa.string()), ("number", pa.int32())])
COLUMNS = {"in0": pa.bool_(), "v": pa.float64(), "n": pa.int64(), "word": pa.string()}

rows_strategy = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["a", "b", None]),
            "number": st.sampled_from([1, 2, None]),
            "ts": st.one_of(st.integers(-6, 20), st.none()),
            "in0": st.sampled_from([True, True, False, None]),
            "v": st.one_of(st.integers(-3, 3).map(float), st.sampled_from([None, math.nan, -0.0])),
            "n": st.one_of(st.integers(-3, 3), st.none()),
            "word": st.sampled_from(["x", "y", None]),
        }
    ),
    max_size=40,
)

schemes = st.sampled_from(
    [
        sf.Threshold("w"),
        sf.Threshold("w", min_rows=3),
        sf.Threshold("w", merge_gap=3, min_duration=2, max_rows=4),
        sf.Threshold("w", gaps=True, min_rows=2),
        sf.Threshold("w", gaps=True, min_rows=3, merge_gap=2, max_gap=5),
    ]
)


def plan_for(scheme: Any, **wanted: Any) -> FramePlan:
    return FramePlan(
        scheme=scheme,
        clock=Clock("integer"),
        keys=KEYS,
        ts_type=pa.int64(),
        columns=tuple(COLUMNS.values()),
        **wanted,
    )


def run(plan: FramePlan, rows: list[dict[str, Any]], batch: int, buckets: int) -> list[pa.RecordBatch]:
    """What Spark would do, by hand: pack each batch, sort the chunks, fold."""
    packer = Packer(buckets)
    chunks = []
    for at in range(0, len(rows), batch):
        table = {name: [row[name] for row in rows[at : at + batch]] for name in [*KEYS.names, "ts", *COLUMNS]}
        keys = pa.RecordBatch.from_arrays([pa.array(table[f.name], f.type) for f in KEYS], schema=KEYS)
        columns = [pa.array(table[name], kind) for name, kind in COLUMNS.items()]
        chunks += packer.pack(pa.array(table["ts"], pa.int64()), keys, columns)
    chunks.sort(key=lambda chunk: (chunk.bucket, chunk.start))
    return list(bucket_results(plan, ((chunk.bucket, chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks)))


def dicts(batches: list[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


def by_group(rows: list[dict[str, Any]]) -> dict[Any, list[dict[str, Any]]]:
    groups = defaultdict(list)
    for row in rows:
        groups[row["name"], row["number"]].append(row)
    return groups


@pytest.fixture(autouse=True)
def release_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_bucket, "RELEASE_ROWS", 1)


@examples(100)
@given(scheme=schemes, rows=rows_strategy, batch=st.integers(1, 15), buckets=st.sampled_from([1, 3]), data=st.data())
def test_frames_of_every_group_are_those_of_the_oracle(
    scheme: Any, rows: list[dict[str, Any]], batch: int, buckets: int, data: Any
) -> None:
    plan = plan_for(scheme)
    found = run(plan, rows, batch, buckets)
    frames = {
        key: frames_in([pa.RecordBatch.from_pylist(part, plan.frame_schema)])
        for key, part in by_group(dicts(found)).items()
    }
    expected = {}
    for key, part in by_group([row for row in rows if row["ts"] is not None]).items():
        expected_frames = reference_frames(scheme, [{"ts": row["ts"], "in0": row["in0"]} for row in part])
        if expected_frames:
            expected[key] = expected_frames
    assert frames == expected
    ids = [row["frame_id"] for row in dicts(found)]
    assert len(set(ids)) == len(ids)
    shuffled = data.draw(st.permutations(rows))
    again = run(plan, shuffled, data.draw(st.integers(1, 50)), 2)
    assert sorted(map(repr, dicts(again))) == sorted(map(repr, dicts(found)))


MEASURES = [
    Measure("rows", "count", None, pa.int64()),
    Measure("values", "count", 1, pa.int64()),
    Measure("total", "sum", 1, pa.float64()),
    Measure("whole", "sum", 2, pa.int64()),
    Measure("mean", "avg", 2, pa.float64()),
    Measure("least", "min", 1, pa.float64()),
    Measure("most", "max", 2, pa.int64()),
    Measure("first_word", "first", 3, pa.string()),
    Measure("last_word", "last", 3, pa.string()),
    Measure("spread", "stddev", 2, pa.float64()),
]


def reference_measures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The measures by the book, over the rows of one frame in their order."""
    v = [row["v"] for row in rows if row["v"] is not None]
    n = [row["n"] for row in rows if row["n"] is not None]
    mean = sum(n) / len(n) if n else None
    return {
        "rows": len(rows),
        "values": len(v),
        "total": sum(v) if v else None,
        "whole": sum(n) if n else None,
        "mean": mean,
        "least": min((x for x in v if not math.isnan(x)), default=math.nan) if v else None,
        "most": max(n) if n else None,
        "first_word": rows[0]["word"],
        "last_word": rows[-1]["word"],
        "spread": (sum((x - mean) ** 2 for x in n) / (len(n) - 1)) ** 0.5 if mean is not None and len(n) > 1 else None,
    }


def spelled(row: dict[str, Any]) -> str:
    return repr(sorted(row.items()))


def tie(value: Any) -> tuple[Any, ...]:
    nan = isinstance(value, float) and math.isnan(value)
    negative_zero = isinstance(value, float) and value == 0 and math.copysign(1, value) < 0
    return value is not None, nan, 0 if value is None or nan else value, not negative_zero


@examples(100)
@given(scheme=schemes, rows=rows_strategy, batch=st.integers(1, 15), buckets=st.sampled_from([1, 3]))
def test_tags_and_measures_agree_with_the_frames(
    scheme: Any, rows: list[dict[str, Any]], batch: int, buckets: int
) -> None:
    frames = {
        row["frame_id"]: row for row in dicts(run(plan_for(scheme, measures=tuple(MEASURES)), rows, batch, buckets))
    }
    tags = tuple(
        [TagColumn(f.name, "key", i, f.type) for i, f in enumerate(KEYS)]
        + [TagColumn("ts", "ts", 0, pa.int64())]
        + [TagColumn(name, "column", i, kind) for i, (name, kind) in enumerate(COLUMNS.items())]
    )
    tagged = dicts(run(plan_for(scheme, tags=tags, keep_outside=True), rows, batch, buckets))
    untagged = [{name: row[name] for name in rows[0]} for row in tagged]
    assert sorted(map(spelled, untagged)) == sorted(spelled(row) for row in rows if row["ts"] is not None)
    members = defaultdict(list)
    for row in tagged:
        members[row["frame_id"]].append(row)
    members.pop(None, None)
    assert set(members) == set(frames)
    for frame_id, frame in frames.items():
        part = sorted(members[frame_id], key=lambda row: (row["ts"], *(tie(row[name]) for name in COLUMNS)))
        assert (frame["name"], frame["number"]) == (part[0]["name"], part[0]["number"])
        assert (frame["frame_start"], frame["frame_end"], frame["frame_rows"]) == (
            part[0]["ts"],
            part[-1]["ts"],
            len(part),
        )
        expected = reference_measures(part)
        assert {name: frame[name] for name in expected} == pytest.approx(expected, nan_ok=True)


def test_every_way_of_cutting_the_input_gives_the_same_ids() -> None:
    scheme = sf.Threshold("w", min_rows=2)
    rng = random.Random(5)
    rows = [
        {
            "name": rng.choice("abc"),
            "number": 1,
            "ts": rng.randint(0, 300),
            "in0": rng.random() < 0.7,
            "v": 0.0,
            "n": 1,
            "word": "x",
        }
        for _ in range(500)
    ]
    reference = None
    for batch, buckets, seed in [(500, 1, 0), (7, 4, 1), (100, 16, 2), (1, 3, 3)]:
        random.Random(seed).shuffle(rows)
        found = sorted(map(repr, dicts(run(plan_for(scheme), rows, batch, buckets))))
        reference = reference or found
        assert found == reference
