"""Patterns in a stream: however rows are cut, and wherever the operator is stopped, matches are those of the table."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import HealthCheck, given

from streamframes.core.operator import state_codec
from tests.core.patterns.at_work import plan_of, results, rows_of
from tests.core.patterns.test_agreement import expected
from tests.core.patterns.worlds import questions, rows, text_of
from tests.thoroughness import examples

SLOW = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
MEASURES = {"names": "collect_list(CLASSIFIER())", "beyond": "NEXT(x, 2)", "before": "PREV(FIRST(x), 2)"}


@pytest.mark.parametrize("history", [False, True])
@examples(120, *SLOW)
@given(data=st.data())
def test_a_stream_finds_the_matches_of_its_table(history: bool, data: Any) -> None:
    question = data.draw(questions(history=history), label="question")
    some = data.draw(rows(10), label="rows")
    cuts = sorted(data.draw(st.sets(st.integers(1, 14), max_size=5), label="cuts"))
    if expected(question, some) is None:
        return
    timeouts = question.within is not None and data.draw(st.booleans(), label="timeouts")
    plan, expressions, _ = plan_of(
        text_of(question.pattern), question.texts, MEASURES, subset=question.subset,
        after_match=question.skip, within=question.within, timeouts=timeouts,
    )  # fmt: skip
    at_once = sorted(map(repr, results(plan, expressions, some)))
    operator = plan.operator(live=True)
    found: list[str] = []
    for low, high in zip([-1, *cuts], [*cuts, 15], strict=True):
        batch = rows_of(operator, expressions, [row for row in some if low <= row["ts"] < high])
        watermarks = np.full(len(operator.groups), high)
        before = operator.min_unreported_start(np.full(len(operator.groups), max(low, 0)))
        for results_ in operator.feed(batch, watermarks):
            for row in results_.to_pylist():
                found.append(repr(row))
                number = sorted({each["k"] for each in some}).index(row["k"]) if len(operator.groups) == 2 else 0
                assert row["frame_start"] >= before[number]
        assert sorted(found) == sorted(set(found) & set(at_once)) or timeouts
        again = plan.operator(live=True)
        again.restore(state_codec.decode(state_codec.encode(operator.snapshot())))
        again.retain(np.flatnonzero(~again.idle_groups()))
        operator = again
    operator.end_of_data(max(row["ts"] for row in some))
    found += [repr(row) for batch in operator.finish() for row in batch.to_pylist()]
    if timeouts:
        assert [row for row in sorted(found) if "timeout" not in row] == [
            row for row in at_once if "timeout" not in row
        ]
        assert set(at_once) <= set(found)
    else:
        assert sorted(found) == at_once


def row(ts: int, x: int) -> dict[str, Any]:
    return {"ts": ts, "x": x, "y": 0.0, "k": "p"}


def test_a_match_is_reported_once_it_is_certain() -> None:
    plan, expressions, _ = plan_of("A B+", {"A": "x = 1", "B": "x = 2"})
    operator = plan.operator(live=True)
    assert not list(operator.feed(rows_of(operator, expressions, [row(0, 1), row(1, 2)]), np.array([2])))
    assert operator.figures() == {"open": 1, "held": 2}
    (batch,) = operator.feed(rows_of(operator, expressions, [row(2, 3)]), np.array([3]))
    assert batch.to_pylist()[0]["frame_end"] == 1


def test_time_alone_ends_a_match_that_may_last_no_longer() -> None:
    plan, expressions, _ = plan_of("A B+", {"A": "x = 1", "B": "x = 2"}, within=5)
    operator = plan.operator(live=True)
    assert not list(operator.feed(rows_of(operator, expressions, [row(0, 1), row(1, 2)]), np.array([5])))
    (batch,) = operator.feed(rows_of(operator, expressions, []), np.array([6]))
    assert batch.to_pylist()[0]["frame_rows"] == 2


def test_what_is_not_completed_in_time_is_reported_where_it_is_wanted() -> None:
    plan, expressions, _ = plan_of(
        "A B C", {"A": "x = 1", "B": "x = 2", "C": "x = 3"}, {"last": "LAST(CLASSIFIER())"}, within=5, timeouts=True
    )
    operator = plan.operator(live=True)
    assert not list(operator.feed(rows_of(operator, expressions, [row(0, 1), row(2, 2)]), np.array([5])))
    (batch,) = operator.feed(rows_of(operator, expressions, []), np.array([6]))
    (found,) = batch.to_pylist()
    assert (found["frame_closed_by"], found["frame_end"], found["match_number"]) == ("timeout", 2, None)
    assert found["__sf_leaf_0"] == "B"
