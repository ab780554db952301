"""Bursts in memory: series in, alarms out, cut into feeds anywhere, with the state written and read between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.bursts.operator import BurstOperator, BurstPlan
from streamframes.core.operator import state_codec

KEYS = pa.schema([("key", pa.string())])

WHOLE = st.integers(0, 20).map(float)
SIGNED = st.integers(-20, 20).map(float)
# Sums of these are exact in fractions and need more than a double on the way.
ROUGH = st.one_of(st.integers(0, 2**20).map(lambda n: n / 1024), st.just(2.0**60), st.just(0.0))


def plan_of(thresholds: Any, agg: str = "sum", **settings: Any) -> BurstPlan:
    """A plan over integer instants and doubles (booleans for a count)."""
    given = tuple(map(float, thresholds.values())) if isinstance(thresholds, Mapping) else thresholds
    windows = tuple(thresholds) if isinstance(thresholds, Mapping) else settings.pop("windows")
    kind = pa.bool_() if agg == "count" else pa.float64()
    return BurstPlan(Clock("integer"), KEYS, pa.int64(), (kind,), "ts", agg, windows, given, **settings)


def results_of(
    plan: BurstPlan,
    series: Mapping[str, Sequence[tuple[int, float]]],
    cuts: Sequence[int] = (),
    controls: Mapping[int, Any] | None = None,
) -> list[dict[str, Any]]:
    """What is reported of rows (instant, value) by key; `cuts` are instants before which a feed ends."""
    operator, batches = plan.operator(), []
    edges = [*sorted(cuts), None]
    low = -(2**62)
    for number, high in enumerate(edges):
        if controls and number in controls:
            controls[number](operator)
        part = {
            key: [row for row in rows if low <= row[0] and (high is None or row[0] < high)]
            for key, rows in series.items()
        }
        rows = rows_of(operator, {key: rows for key, rows in part.items() if rows}, plan.columns[0])
        watermarks = np.full(len(operator.groups), high) if high is not None else np.empty(0, np.int64)
        batches += list(operator.feed(rows, watermarks))
        low = low if high is None else high
        again = plan.operator()
        again.restore(state_codec.decode(state_codec.encode(operator.snapshot())))
        operator = again
    batches += list(operator.finish())
    return [row for batch in batches for row in batch.to_pylist()]


def rows_of(operator: BurstOperator, series: Mapping[str, Sequence[tuple[int, float]]], kind: pa.DataType) -> Rows:
    """Rows under the numbers of the operator's groups."""
    keys = pa.RecordBatch.from_arrays([pa.array(list(series), pa.string())], schema=KEYS)
    numbers = operator.groups.numbers(*fingerprints(keys.columns, len(series)), keys)
    bounds = np.cumsum([0, *map(len, series.values())])
    ts = [t for rows in series.values() for t, _ in rows]
    values = [x for rows in series.values() for _, x in rows]
    return Rows(numbers, bounds, np.array(ts, np.int64), [pa.array(values, kind)])


def alarms(plan: BurstPlan, values: Sequence[float], cuts: Sequence[int] = ()) -> list[tuple[int, int, float]]:
    """Row, window and value of each alarm of one series, sorted."""
    reported = results_of(replace(plan, output="alarms"), {"a": list(enumerate(values))}, cuts)
    return sorted((row["ts"], row["window"], row["value"]) for row in reported)


@st.composite
def cases(draw: Any, values: Any = WHOLE, most: int = 60) -> Any:
    """A series, windows with thresholds about where the aggregate is, and cuts."""
    xs = draw(st.lists(values, min_size=1, max_size=most))
    lengths = draw(st.lists(st.integers(1, most), min_size=1, max_size=25, unique=True).map(sorted))
    level = draw(st.floats(-0.5, 3))
    mean = sum(xs) / len(xs)
    noise = draw(st.lists(st.integers(-10, 10), min_size=len(lengths), max_size=len(lengths)))
    cuts = draw(st.lists(st.integers(0, most), max_size=4))
    return xs, lengths, level * mean, noise, cuts


def thresholds_for(agg: str, lengths: Sequence[int], level: float, noise: Sequence[int]) -> dict[int, float]:
    scale = {"sum": 1, "count": 1}.get(agg, 0)
    return {w: round(level * (w if scale else 1)) + float(n) for w, n in zip(lengths, noise, strict=True)}


def running_variance(seen: Sequence[float]) -> float:
    mean = spread = 0.0
    for n, x in enumerate(seen, 1):
        distance = x - mean
        mean += distance / n
        spread += distance * (x - mean)
    return spread / len(seen)
