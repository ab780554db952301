"""The laws of operators: however rows are cut, and wherever an operator is stopped and resumed, results are the same.

Covers: streamframes.core.operator.protocol
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows
from streamframes.core.bursts.operator import BurstPlan
from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import FRAMES
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator import state_codec
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.patterns.operator import PatternPlan
from streamframes.core.patterns.resolve import PatternText, resolve
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.sessions.plan import BY_ROOT, SESSIONS
from streamframes.core.sparksql import translate
from tests.core.sessions.test_commands_and_merge import COLUMNS, TEXTS, planner_of
from tests.core.sessions.test_commands_and_merge import plan_of as session_plan
from tests.thoroughness import examples

KEYS = pa.schema([("key", pa.int64())])
ROW = {"clock": Clock("integer"), "keys": KEYS, "ts_type": pa.int64()}
GIVEN = pa.schema(
    [("key", pa.int64()), ("frame_id", pa.int64()), ("frame_start", pa.int64()), ("frame_end", pa.int64())]
)
END = 40

Event = tuple[int, int, Any]


@dataclass(frozen=True)
class Case:
    """An operator, what a row of it may be, and how values of rows become the columns that travel."""

    plan: OperatorPlan
    values: st.SearchStrategy[Any]
    columns: Callable[[Sequence[Event]], list[pa.Array]]


def plain(*kinds: pa.DataType) -> Callable[[Sequence[Event]], list[pa.Array]]:
    return lambda events: [pa.array([event[2][i] for event in events], kind) for i, kind in enumerate(kinds)]


def of_sessions(events: Sequence[Event]) -> list[pa.Array]:
    values = [[event[0] for event in events], *([event[2][i] for event in events] for i in range(3))]
    arrays = [pa.array(column, kind) for column, kind in zip(values, COLUMNS.types, strict=True)]
    batch = pa.RecordBatch.from_arrays(arrays, schema=COLUMNS)
    return [*(translate(text, COLUMNS).evaluate(batch) for text in planner_of(TEXTS).events), *arrays]


NUMBERS = st.integers(0, 4).map(float)
PRICES = pa.schema([("price", pa.float64())])
VALLEYS = resolve(
    PatternText(
        "STRT DOWN+ UP{1,3}",
        {"DOWN": "price < PREV(price)", "UP": "price > PREV(price) and price <= FIRST(price)"},
        {"steps": "collect_list(CLASSIFIER())"},
        {},
        "one",
        "to next row",
    ),
    PRICES.names,
    lambda text, what: translate(text, PRICES).type,
)
CASES = {
    "frames": Case(
        FramePlan(
            **ROW,
            scheme=sf.Threshold("w", min_rows=2, merge_gap=2, max_gap=9),
            columns=(pa.bool_(), pa.float64()),
            measures=(Measure("total", "sum", 1, pa.float64()),),
        ),
        st.tuples(st.sampled_from([True, True, False, None]), NUMBERS),
        plain(pa.bool_(), pa.float64()),
    ),
    "bursts": Case(
        BurstPlan(
            **ROW,
            columns=(pa.float64(),),
            ts="ts",
            agg="sum",
            windows=(1, 3, 4),
            thresholds=(4.0, 8.0, 9.0),
            output="runs",
        ),
        st.tuples(NUMBERS),
        plain(pa.float64()),
    ),
    "sessions": Case(
        # The root spans all groups, so that it is told of under any of them.
        replace(session_plan(planner_of(TEXTS), BY_ROOT, SESSIONS), chosen=(1, 2)),
        st.tuples(st.integers(0, 4), st.sampled_from([0.1, 1e15, -3.5, None]), st.sampled_from(["x", "z"])),
        of_sessions,
    ),
    "regions": Case(
        RegionPlan(**ROW, columns=(pa.float64(), pa.int8()), space=("x",), place_types=(pa.float64(),), may_miss=True),
        st.tuples(NUMBERS, st.sampled_from([1, 2, 2])),
        plain(pa.float64(), pa.int8()),
    ),
    "patterns": Case(
        PatternPlan(
            **ROW,
            columns=tuple(translate(text, PRICES).type for text in VALLEYS.expressions),
            ts="ts",
            spelling="valleys",
            within=12,
            **{name: value for name, value in vars(VALLEYS).items() if name not in ("measures", "expressions")},
        ),
        st.tuples(NUMBERS),
        lambda events: [
            translate(text, PRICES).evaluate(
                pa.RecordBatch.from_arrays([pa.array([event[2][0] for event in events], pa.float64())], schema=PRICES)
            )
            for text in VALLEYS.expressions
        ],
    ),
    "fill": Case(
        FillPlan(**ROW, frames=GIVEN, columns=(pa.float64(),), measures=(Measure("total", "sum", 0, pa.float64()),)),
        st.tuples(NUMBERS),
        plain(pa.float64()),
    ),
}
EDGES = st.tuples(st.integers(0, 2), st.integers(0, END), st.integers(0, END))


def rows_of(operator: Operator, keys: Sequence[int], ts: Sequence[int], columns: list[pa.Array]) -> Rows:
    """Rows under the numbers of the operator's groups, in order."""
    groups = pa.RecordBatch.from_arrays([pa.array(sorted(set(keys)), pa.int64())], schema=KEYS)
    numbers = operator.groups.numbers(*fingerprints(groups.columns, groups.num_rows), groups)
    order = np.argsort(np.array(keys, np.int64), kind="stable")
    bounds = np.searchsorted(np.array(keys, np.int64)[order], [*groups.column(0).to_pylist(), 1 << 40])
    taken = [column.take(pa.array(order)) for column in columns]
    return in_order(Rows(numbers, bounds, np.array(ts, np.int64)[order], taken))


def resumed(plan: OperatorPlan, operator: Operator, *, forgets: bool) -> Operator:
    """An operator that knows only what the one before has left in writing; of idle groups it may know nothing."""
    if forgets:
        operator.retain(np.flatnonzero(~operator.idle_groups()))
    again = plan.operator()
    again.restore(state_codec.decode(state_codec.encode(operator.snapshot())))
    return again


def results(
    case: Case, events: Sequence[Event], frames: Sequence[Event], cuts: Sequence[int], *, forgets: bool = False
) -> list[str]:
    """The results of rows that are fed up to each cut, as the bucket of a table feeds them, and then to the end."""
    operator, found = case.plan.operator(), []
    for low, high in zip([-1, *cuts], [*cuts, END + 1], strict=True):
        given = [frame for frame in frames if low <= frame[1] < high]
        if given and case.plan.needs_watermarks:
            columns = [
                pa.array(column, pa.int64()) for column in zip(*((k, 0, a, b) for k, a, b in given), strict=True)
            ]
            taken = rows_of(operator, [frame[0] for frame in given], [frame[1] for frame in given], columns)
            operator.take(taken, FRAMES)
        some = [event for event in events if low <= event[1] < high]
        rows = rows_of(operator, [key for key, _, _ in some], [ts for _, ts, _ in some], case.columns(some))
        watermarks = np.full(len(operator.groups), high) if case.plan.needs_watermarks else NO_WATERMARKS
        found += list(operator.feed(rows, watermarks))
        if cuts:
            operator = resumed(case.plan, operator, forgets=forgets)
    found += list(operator.finish())
    return sorted(repr(row) for batch in found for row in batch.to_pylist())


@pytest.mark.parametrize("name", CASES)
@examples(25)
@given(data=st.data())
def test_cuts_and_restarts_change_nothing(name: str, data: Any) -> None:
    case = CASES[name]
    event = st.tuples(st.integers(0, 2), st.integers(0, END), case.values)
    events = data.draw(st.lists(event, max_size=30), label="rows")
    frames = data.draw(st.lists(EDGES, max_size=6), label="frames")
    cuts = sorted(data.draw(st.sets(st.integers(0, END), max_size=4), label="cuts"))
    at_once = results(case, events, frames, ())
    assert results(case, events, frames, cuts) == at_once


@pytest.mark.parametrize("name", CASES)
def test_an_operator_has_every_member_of_the_contract(name: str) -> None:
    plan = CASES[name].plan
    operator = plan.operator()
    assert isinstance(operator, Operator)
    assert operator.idle_groups().tolist() == []
    assert {"open", "held", *plan.counters} == set(operator.figures())
    assert [each.size for each in operator.output_watermark(NO_WATERMARKS)] == [0, 0]
    assert set(plan.settings()) < set(plan.identity())


@pytest.mark.parametrize("name", CASES)
@examples(20)
@given(data=st.data())
def test_idle_groups_can_be_forgotten(name: str, data: Any) -> None:
    case = CASES[name]
    event = st.tuples(st.integers(0, 2), st.integers(0, END), case.values)
    events = data.draw(st.lists(event, max_size=30), label="rows")
    frames = data.draw(st.lists(EDGES, max_size=6), label="frames")
    cuts = sorted(data.draw(st.sets(st.integers(0, END), min_size=1, max_size=4), label="cuts"))
    assert results(case, events, frames, cuts, forgets=True) == results(case, events, frames, ())
