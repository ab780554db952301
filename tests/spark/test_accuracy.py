"""Accuracy of windows: Spark counts what a few loops over the rows count."""

# ruff: noqa: E501  (a table of messages reads better unbroken)
from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

import streamframes as sf
from streamframes.core.theory.reference import reference_frames

pytestmark = pytest.mark.spark

HEURISTICS = ("min", "max", "avg")
Condition = Callable[[float | None], bool | None]


def random_rows(seed: int, groups: int = 12) -> list[dict[str, Any]]:
    """Rows with ties, nulls and NaN; halves, so that sums are exact in any order."""
    rng = random.Random(seed)
    values = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, None, math.nan]
    rows = [
        {
            "name": None if group % 5 == 0 else f"g{group}",
            "tick": None if rng.random() < 0.03 else rng.randint(0, 40),
            "v": rng.choice(values[:4] if rng.random() < 0.5 else values),
        }
        for group in range(groups)
        for _ in range(rng.randint(0, 40))
    ]
    rng.shuffle(rows)
    return rows


def first(value: float | None) -> tuple[Any, ...]:
    """Nulls first, NaN last: the order of ties, and of NaN in minimum and maximum."""
    nan = value is not None and math.isnan(value)
    return value is not None, nan, 0 if value is None or nan else value


def in_order(rows: list[dict[str, Any]], holds: Condition) -> list[dict[str, Any]]:
    there = [row for row in rows if row["tick"] is not None]
    return sorted(there, key=lambda row: (row["tick"], first(holds(row["v"])), first(row["v"])))


def episodes(rows: list[dict[str, Any]], holds: Condition, min_rows: int, min_duration: int) -> list[set[int]]:
    """The row numbers of each frame."""
    runs: list[list[int]] = []
    for i, row in enumerate(rows):
        if not holds(row["v"]):
            continue
        if runs and runs[-1][-1] == i - 1:
            runs[-1].append(i)
        else:
            runs.append([i])
    lasting = [run for run in runs if rows[run[-1]]["tick"] - rows[run[0]]["tick"] >= min_duration]
    return [set(run) for run in lasting if len(run) >= min_rows]


def cut(rows: list[dict[str, Any]], window: Any) -> list[set[int]]:
    """The row numbers of each window."""
    found: dict[int, set[int]] = defaultdict(set)
    for i, row in enumerate(rows):
        found[i // window.size if isinstance(window, sf.Count) else row["tick"] // window].add(i)
    return list(found.values())


def of(heuristic: str, values: list[float]) -> float | None:
    if not values:
        return None
    return sum(values) / len(values) if heuristic == "avg" else {"min": min, "max": max}[heuristic](values, key=first)


def reference_accuracy(
    rows: list[dict[str, Any]], holds: Condition, windows: list[Any], min_rows: int, min_duration: int
) -> list[tuple[Any, ...]]:
    result = []
    by_group = defaultdict(list)
    for row in rows:
        by_group[row["name"]].append(row)
    for window in windows:
        for heuristic in HEURISTICS:
            n = dict.fromkeys(["frames", "rows", "windows", "selected", "error", "missed", "alone"], 0)
            for group in by_group.values():
                ordered = in_order(group, holds)
                frames = episodes(ordered, holds, min_rows, min_duration)
                cuts = cut(ordered, window)
                selected = [
                    each for each in cuts
                    if holds(of(heuristic, [ordered[i]["v"] for i in each if ordered[i]["v"] is not None]))
                ]  # fmt: skip
                in_frames, in_selected = set().union(*frames), set().union(*selected)
                n["frames"] += len(frames)
                n["rows"] += len(in_frames)
                n["windows"] += len(cuts)
                n["selected"] += len(selected)
                n["error"] += len(in_frames ^ in_selected)
                n["missed"] += sum(not frame & in_selected for frame in frames)
                n["alone"] += sum(not each & in_frames for each in selected)
            missed = 100.0 * n["missed"] / n["frames"] if n["frames"] else None
            alone = 100.0 * n["alone"] / n["selected"] if n["selected"] else None
            counts = (n["frames"], n["rows"], n["windows"], n["selected"], n["error"])
            result.append((str(window), heuristic, *counts, missed, alone))
    return result


def below(value: float | None) -> bool | None:
    return None if value is None else value < 1.25


def above(value: float | None) -> bool | None:
    return None if value is None else value > 0.75 or math.isnan(value)


SCHEMA = "name string, tick long, v double"


def table_of(spark: Any, rows: list[dict[str, Any]]) -> Any:
    return spark.createDataFrame([tuple(row.values()) for row in rows], SCHEMA).repartition(3)


@pytest.mark.parametrize(
    ("where", "holds", "minimums"),
    [
        ("v < 1.25", below, {}),
        ("V < 1.25", below, {"min_rows": 3, "min_duration": 2}),
        ("v > 0.75", above, {"min_rows": 2}),
        ("v > 100", lambda value: None if value is None else math.isnan(value), {"min_rows": 30}),
    ],
)
def test_spark_counts_what_the_loops_count(spark: Any, where: str, holds: Condition, minimums: dict[str, int]) -> None:
    rows, windows = random_rows(seed=len(where) + len(minimums)), [5, sf.Count(4), 100]
    scheme = sf.Threshold(where, **minimums)  # type: ignore[arg-type]
    found = sf.accuracy(table_of(spark, rows), scheme, windows=windows, ts="tick", by="name")
    expected = reference_accuracy(rows, holds, windows, minimums.get("min_rows", 1), minimums.get("min_duration", 0))
    assert [tuple(row) for row in found.collect()] == expected


def test_the_loops_find_the_frames_of_the_oracle() -> None:
    for seed in range(20):
        ordered = in_order(random_rows(seed, groups=1), below)
        found = [
            (ordered[min(run)]["tick"], ordered[max(run)]["tick"], len(run)) for run in episodes(ordered, below, 2, 3)
        ]
        plain = [{"ts": row["tick"], "in0": below(row["v"])} for row in ordered]
        frames = reference_frames(sf.Threshold("v", min_rows=2, min_duration=3), plain)
        assert sorted(found) == sorted((frame.start, frame.end, frame.rows) for frame in frames)


def test_instants_may_be_timestamps_and_windows_have_the_names_they_were_given(spark: Any) -> None:
    rows = random_rows(seed=5, groups=3)
    start = datetime(2026, 1, 5, tzinfo=UTC)
    data = [(r["name"], r["tick"] and start + timedelta(seconds=r["tick"]), r["v"]) for r in rows if r["tick"] != 0]
    table = spark.createDataFrame(data, "name string, at timestamp, v double")
    windows = ["5 seconds", sf.Every("5 seconds"), timedelta(seconds=5), sf.Count(3)]
    found = sf.accuracy(
        table, sf.Threshold("v < 1.25"), windows=windows, ts="at", by="name", heuristics="avg"
    ).collect()
    assert [row.window for row in found] == ["5 seconds", "Every(size='5 seconds')", "0:00:05", "Count(size=3)"]
    assert found[0][2:] == found[1][2:] == found[2][2:]
    expected = reference_accuracy([row for row in rows if row["tick"] != 0], below, [5], 1, 0)
    assert tuple(found[0])[2:] == expected[2][2:]


def test_a_value_may_be_an_expression_of_the_condition(spark: Any) -> None:
    rows = table_of(spark, random_rows(seed=9))
    plain = sf.accuracy(rows, sf.Threshold("v < 1.25"), windows=[5], ts="tick", by="name")
    doubled = rows.selectExpr("name", "tick", "v + 1 as a", "1 as `B b`")
    scheme = sf.Threshold("2 * (a - `B b`) < 2.5 or false")
    found = sf.accuracy(doubled, scheme, windows=[5], ts="tick", by="name", value="A - `b B`")
    assert found.collect() == plain.collect()


def test_nothing_found_is_null_and_no_rows_are_zeros(spark: Any) -> None:
    empty = spark.createDataFrame([], SCHEMA)
    found = sf.accuracy(empty, sf.Threshold("v < 1"), windows=[5], ts="tick", heuristics=["max"]).collect()
    assert [tuple(row) for row in found] == [("5", "max", 0, 0, 0, 0, 0, None, None)]


def test_the_types_of_the_result(spark: Any) -> None:
    found = sf.accuracy(spark.createDataFrame([], SCHEMA), sf.Threshold("v < 1"), windows=[5], ts="tick")
    assert found.dtypes == [
        ("window", "string"),
        ("heuristic", "string"),
        *[(name, "bigint") for name in ("frames", "frame_rows", "windows", "selected", "duration_error")],
        ("false_negatives", "double"),
        ("false_positives", "double"),
    ]


@pytest.fixture(scope="module")
def rows(spark: Any) -> Any:
    return spark.createDataFrame(
        [], "station long, at timestamp, day date, n long, speed double, top double, word string"
    )


SLOW = sf.Threshold("speed < 40")
GOOD: dict[str, Any] = {"ts": "at", "by": "station", "windows": ["1 minute"]}


@pytest.mark.parametrize(
    ("scheme", "arguments", "message"),
    [
        (sf.Gap("1 minute"), {}, r"accuracy\(\) got scheme=Gap\(.*; give a Threshold like"),
        (sf.Threshold("speed < 40", gaps=True), {}, r"where every row is in a frame; leave out gaps=True"),
        (sf.Threshold("speed < top"), {}, r"'speed < top', which names 2 columns \(speed, top\); say with value="),
        (sf.Threshold("1 < 2"), {}, r"which names 0 columns \(none\)"),
        (sf.Threshold("speed < top"), {"value": "speed"}, r"value='speed', but the condition 'speed < top' depends on `top`; give all of"),
        (SLOW, {"value": "top"}, r"value='top', but the condition 'speed < 40' depends on `speed`"),
        (SLOW, {"value": 3}, r"value=3; write a column or an expression as text"),
        (SLOW, {"value": "speed +"}, r"value='speed \+', which cannot be read"),
        (sf.Threshold("word < 'a'"), {}, r"accuracy\(\) got value='word' of type string, which is not a number; cast it"),
        (sf.Threshold("sped < 40"), {}, r"Threshold got where='sped < 40', which Spark cannot evaluate"),
        (SLOW, {"ts": "att"}, r"accuracy\(\) got ts='att', which is not a column; the columns are station, at"),
        (SLOW, {"ts": []}, r"accuracy\(\) got ts=\[\]; name the column that orders the rows"),
        (SLOW, {"ts": "speed"}, r"accuracy\(\) got ts='speed' of type double; ts must be"),
        (SLOW, {"by": "lane"}, r"accuracy\(\) got by='lane', which is not a column"),
        (SLOW, {"windows": "1 minute"}, r"windows='1 minute'; give a list of lengths like \['60 seconds'"),
        (SLOW, {"windows": []}, r"windows=\[\]; give a list of lengths"),
        (SLOW, {"windows": [20]}, r"windows=\[20\], a plain number, but ts is a timestamp; write sf.Count\(20\) for rows or '20 seconds' for time"),
        (SLOW, {"windows": [7], "ts": "day"}, r"but ts is a date; write sf.Count\(7\) for rows or '7 days' for time"),
        (SLOW, {"windows": ["1 minute"], "ts": "n"}, r"windows='1 minute' has a unit but ts is an integer"),
        (SLOW, {"windows": ["1 month"]}, r"windows='1 month' has no fixed length"),
        (SLOW, {"windows": ["0 seconds"]}, r"size='0 seconds' must be greater than zero"),
        (SLOW, {"windows": [None]}, r"windows=\[None\]; give a length like '60 seconds', sf.Every"),
        (SLOW, {"windows": [sf.Gap("1 minute")]}, r"windows=\[Gap\(gap='1 minute'\)\]; give a length like"),
        (SLOW, {"windows": [sf.Count(20, slide=10)]}, r"windows=\[Count\(size=20, slide=10\)\], which overlap; leave out slide="),
        (SLOW, {"heuristics": []}, r"heuristics=\[\]; give some of min, max, avg, each once"),
        (SLOW, {"heuristics": ["min", "min"]}, r"each once"),
        (SLOW, {"heuristics": ["median"]}, r"heuristics='median' is unknown; it is one of min, max, avg"),
        (sf.Threshold("speed < 40", min_duration=3), {}, r"min_duration=3 is a plain number but ts is a timestamp"),
    ],
)  # fmt: skip
def test_accuracy_refuses(rows: Any, scheme: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.accuracy(rows, scheme, **{**GOOD, **arguments})


def test_accuracy_refuses_a_column_a_stream_and_what_is_no_dataframe(spark: Any, rows: Any) -> None:
    from pyspark.sql import functions as F

    with pytest.raises(sf.InvalidArgument, match=r"a Threshold on the Column .*; write its condition as text"):
        sf.accuracy(rows, sf.Threshold(F.col("speed") < 40), **GOOD)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(sf.InvalidArgument, match=r"accuracy\(\) got a stream; write its rows to a table"):
        sf.accuracy(stream, sf.Threshold("value < 40"), ts="timestamp", windows=["1 minute"])
    with pytest.raises(sf.InvalidArgument, match=r"accuracy\(\) got rows of type list; give a Spark DataFrame"):
        sf.accuracy([1], SLOW, **GOOD)  # type: ignore[arg-type]
