"""Measures come and go, a root is in many places, strings are forgotten: results are as if nothing had happened.

Covers: streamframes.core.sessions.commands, streamframes.core.sessions.kernels.compact,
  streamframes.core.sessions.merge, streamframes.core.sessions.partials, streamframes.core.sessions.string_ids
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.operator import state_codec
from streamframes.core.sessions import operator as at_work
from streamframes.core.sessions.commands import MeasureCommands
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import Value
from streamframes.core.sessions.merge import MergedRoot
from streamframes.core.sessions.operator import SessionOperator, SessionPlan
from streamframes.core.sessions.partitioning import BY_PARTS, TOGETHER, partitioning_of
from streamframes.core.sessions.plan import MEASURES, SESSIONS, OutputColumn
from streamframes.core.sessions.tree import Session
from streamframes.core.sparksql import translate
from tests.thoroughness import examples

COLUMNS = pa.schema({"who": pa.int64(), "code": pa.int64(), "size": pa.float64(), "word": pa.string()})
LOGS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 3),
        st.integers(0, 4),
        st.sampled_from([0.1, 0.2, 1e15, -3.5, None]),
        st.sampled_from(["x", "y", "z"]),
    ),
    max_size=40,
)
TREE = Session(
    "System",
    parts=[
        Session(
            "Call",
            key="who",
            opens="code <> 0",
            closes="code = 1",
            timeout=9,
            attributes={"first_word": "first(word)"},
            parts=[Session("Part", opens="code > 2", closes="code = 2 or word = 'z'")],
        )
    ],
)
TEXTS = {
    "calls": "System.count(Call)",
    "size": "System.sum(Call.sum(size))",
    "mean": "System.avg(Call.duration(ts))",
    "dev": "System.stddev(Part.rows)",
    "most": "System.max(Call.sum(size))",
    "events": "System.count(size)",
    "parts": "Call.count(Part)",
}


def planner_of(measures: dict[str, str]) -> Planner:
    """The tree with measures."""
    planner = Planner(
        TREE,
        [*COLUMNS.names, "ts"],
        "ts",
        pa.int64(),
        Clock("integer"),
        lambda text, what: translate(text, COLUMNS).type,
    )
    for name, text in measures.items():
        planner.add_measure(name, text)
    return planner


def plan_of(planner: Planner, partitioning: str, output: str = MEASURES, **more: Any) -> SessionPlan:
    """Events by caller, or all of them in one place."""
    is_partitioned = partitioning != TOGETHER
    kinds = [translate(text, COLUMNS) for text in planner.events]
    word = planner.attributes[1]["first_word"]
    return SessionPlan(
        clock=Clock("integer"),
        keys=pa.schema({"who": pa.int64()}) if is_partitioned else pa.schema([]),
        ts_type=pa.int64(),
        columns=tuple(each.type for each in kinds) + tuple(COLUMNS.types),
        ts="ts",
        classes=tuple(planner.classes),
        nodes=tuple(planner.nodes),
        measures=tuple(planner.measures),
        event_at=tuple(range(len(kinds))),
        grouped=(1,) if is_partitioned else (),
        partitioning=partitioning,
        output=output,
        chosen=(0, 1, 2),
        output_columns=(OutputColumn("word", pa.string(), "text", ((1, Value(word, "text")),)),)
        if output == SESSIONS
        else (),
        **more,
    )


def log_of(made: list[tuple[Any, ...]]) -> tuple[np.ndarray, pa.RecordBatch]:
    """Instants that rise, and the columns."""
    ts = np.cumsum([row[0] for row in made], dtype=np.int64)
    columns = [pa.array([row[i + 1] for row in made], kind) for i, kind in enumerate(COLUMNS.types)]
    return ts, pa.RecordBatch.from_arrays(columns, schema=COLUMNS)


def rows_of(
    planner: Planner, ts: np.ndarray, batch: pa.RecordBatch, operator: SessionOperator, is_partitioned: bool
) -> Rows:
    """The events as they travel, by group."""
    columns = [translate(text, COLUMNS).evaluate(batch) for text in planner.events] + batch.columns
    who = batch.column(0).to_numpy()
    if not is_partitioned or not len(ts):
        first, second = fingerprints([], 1)
        if not is_partitioned:
            operator.groups.numbers(first, second, pa.RecordBatch.from_arrays([], schema=pa.schema([])))
        return Rows(np.zeros(min(len(ts), 1), np.int64), np.array([0, len(ts)] if len(ts) else [0]), ts, columns)
    order = np.argsort(who, kind="stable")
    seen, counts = np.unique(who, return_counts=True)
    keys = pa.RecordBatch.from_arrays([pa.array(seen)], ["who"])
    numbers = operator.groups.numbers(*fingerprints(keys.columns, len(seen)), keys)
    rows = Rows(numbers, np.concatenate([[0], np.cumsum(counts)]), ts, columns)
    return rows.take(order, rows.groups, rows.bounds)


@examples(60)
@given(LOGS, st.integers(1, 3))
def test_a_root_in_many_places_emits_what_one_place_would(made: list[tuple[Any, ...]], buckets: int) -> None:
    planner = planner_of(TEXTS)
    assert partitioning_of(planner).kind == BY_PARTS
    ts, batch = log_of(made)
    point = int(ts[-1]) + 20 if len(ts) else 0
    together = SessionOperator(plan_of(planner, TOGETHER))
    wanted = list(together.feed(rows_of(planner, ts, batch, together, False)))
    wanted += together.feed(rows_of(planner, ts[:0], batch.slice(0, 0), together, False), np.array([point]))
    # The root emits once an instant: the last of what one place emits at each.
    last = {
        (row["ts"], row["measure"], row["class"], row["id"]): row["value"]
        for part in wanted
        for row in part.to_pylist()
    }
    plan = plan_of(planner, BY_PARTS)
    parts: list[pa.RecordBatch] = []
    for bucket in range(buckets):
        here = batch.column(0).to_numpy() % buckets == bucket
        operator = SessionOperator(plan)
        chosen = batch.filter(pa.array(here))
        parts += operator.feed(rows_of(planner, ts[here], chosen, operator, True))
        parts += operator.feed(
            rows_of(planner, ts[:0], batch.slice(0, 0), operator, True), np.full(len(operator.groups), point)
        )
    found: dict[Any, float] = {}
    root = MergedRoot("System", plan.lasting_id)
    emitted = pa.concat_batches(parts) if parts else None
    if emitted is not None:
        for row in emitted.to_pylist():
            if row["code"] is None:
                found[row["ticks"], row["measure"], row["name"], row["id"]] = row["value"]
        partial = emitted.filter(emitted.column("code").is_valid())
        # Half of it, then through bytes, then the rest: what an instant has emitted is not emitted again.
        edge = int(ts[len(ts) // 2]) if len(ts) else 0
        root.take(partial)
        early = list(root.merge(edge, each=True))
        waiting = {name: kept.waiting for name, kept in root.measures.items()}
        saved = state_codec.decode(state_codec.encode(root.snapshot()))
        root = MergedRoot("System", plan.lasting_id)
        root.restore(saved)
        for name, lines in waiting.items():
            root.measures[name].waiting = lines
        for each in (*early, *root.merge(each=True)):
            for row in each.to_pylist():
                found[row["ticks"], row["measure"], row["name"], row["id"]] = row["value"]
    changes = _changes(last, root=plan.lasting_id)
    assert set(changes) == set(found)
    for key, value in changes.items():
        assert found[key] == pytest.approx(value, rel=1e-9, abs=1e-9)


def _changes(last: dict[Any, float], root: int) -> dict[Any, float]:
    """Without rows of the root that, at the end of an instant, repeat what was emitted before."""
    emitted: dict[Any, float] = {}
    kept = {}
    for key in sorted(last, key=lambda key: key[0]):
        if key[3] != root or emitted.get(key[1]) != last[key]:
            kept[key] = last[key]
        if key[3] == root:
            emitted[key[1]] = last[key]
    return kept


@examples(60)
@given(LOGS, st.integers(0, 40))
def test_measures_of_the_plan_do_not_notice_commands(made: list[tuple[Any, ...]], cut: int) -> None:
    planner = planner_of({name: TEXTS[name] for name in ("parts", "size")})
    ts, batch = log_of(made)
    cut = min(cut, len(made))
    while 0 < cut < len(made) and ts[cut] == ts[cut - 1]:
        cut += 1
    plan = plan_of(planner, TOGETHER, commands=MeasureCommands(planner, COLUMNS, TOGETHER))
    alone, ordered = SessionOperator(plan), SessionOperator(plan)
    wanted = _fed(alone, planner, ts, batch)
    found = _fed(ordered, planner, ts[:cut], batch.slice(0, cut))
    commands = [
        ("add", "events", "System.count(size)"),
        ("add", "doubled", "Call.sum(size * 2 + code)"),
        ("add", "bad", "Call.sum(nothing)"),
        ("drop", "unknown", None),
        ("add", "parts", "System.count(Call)"),
    ]
    assert ordered.apply(commands)[1] == 3
    saved = state_codec.decode(state_codec.encode(ordered.snapshot()))
    ordered = SessionOperator(plan)
    ordered.restore(saved)
    found += _fed(ordered, planner, ts[cut:], batch.slice(cut))
    mine = [row for row in found if row["measure"] in ("parts", "size")]
    assert mine == wanted
    events = [row["value"] for row in found if row["measure"] == "events"]
    after = sum(row[3] is not None for row in made[cut:])
    assert events == [float(i + 1) for i in range(after)]
    assert ordered.apply([("drop", "events", None), ("drop", "parts", None)])[1] == 0
    rest = _fed(ordered, planner, ts[-1:] + 1, batch.slice(max(0, len(made) - 1)))
    assert not {row["measure"] for row in rest} & {"events", "parts"}


def test_what_is_left_goes_on_when_another_goes() -> None:
    planner = planner_of({})
    operator = SessionOperator(plan_of(planner, TOGETHER, commands=MeasureCommands(planner, COLUMNS, TOGETHER)))
    doubled, tripled = ("add", "doubled", "Call.sum(code * 2)"), ("add", "tripled", "Call.sum(code * 3)")
    assert operator.apply([doubled]) == ([], 0)
    assert operator.apply([tripled]) == ([], 0)
    ts, batch = log_of([(1, 0, 3, 0.1, "x"), (1, 0, 3, 0.1, "x")])
    _fed(operator, planner, ts, batch)
    assert operator.apply([("drop", "doubled", None)]) == ([], 0)
    saved = state_codec.decode(state_codec.encode(operator.snapshot()))
    operator = SessionOperator(operator.base)
    operator.restore(saved)
    assert [row["value"] for row in _fed(operator, planner, ts + 2, batch)] == [27.0, 36.0]
    assert operator.apply([doubled]) == ([], 0)
    emitted = _fed(operator, planner, ts + 4, batch)
    assert [row["value"] for row in emitted if row["measure"] == "doubled"] == [6.0, 12.0]


def _fed(operator: SessionOperator, planner: Planner, ts: np.ndarray, batch: pa.RecordBatch) -> list[dict[str, Any]]:
    found = operator.feed(rows_of(planner, ts, batch, operator, False))
    return [row for part in found for row in part.to_pylist()]


def test_what_needs_one_place_is_refused_where_events_are_partitioned() -> None:
    planner = planner_of({"calls": TEXTS["calls"]})
    operator = SessionOperator(plan_of(planner, BY_PARTS, commands=MeasureCommands(planner, COLUMNS, BY_PARTS)))
    assert (
        operator.apply([("add", "last", "System.avg(Call.rows, last=3)"), ("add", "n", "System.sum(Call.rows)")])[1]
        == 1
    )


def test_strings_that_no_session_knows_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_work, "MANY_STRINGS", 5)
    planner = planner_of({})
    operator = SessionOperator(plan_of(planner, TOGETHER, SESSIONS))
    emitted = []
    for i in range(0, 60, 3):
        # A call that stays open, and others with texts of their own.
        made = [(0, 0, 2, 0.1, "stays")] if i == 0 else []
        made += [(1, 1, 3, 0.1, f"word{i}"), (1, 1, 1, 0.1, "y")]
        ts, batch = log_of(made)
        emitted += _fed(operator, planner, ts + 2 * i, batch)
    assert len(operator.strings) < 20
    emitted += [row for part in operator.finish() for row in part.to_pylist()]
    words = [row["word"] for row in emitted if row["frame_class"] == "Call"]
    assert sorted(words) == sorted(["stays", *(f"word{i}" for i in range(0, 60, 3))])
