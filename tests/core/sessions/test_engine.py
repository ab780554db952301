"""The compiled engine does what the reference does: on random trees and logs, in any cuts, through state as bytes.

Covers: streamframes.core.sessions.kernels.accumulators, streamframes.core.sessions.kernels.arrays,
  streamframes.core.sessions.kernels.close, streamframes.core.sessions.kernels.descend,
  streamframes.core.sessions.kernels.engine, streamframes.core.sessions.kernels.fetching,
  streamframes.core.sessions.kernels.fields, streamframes.core.sessions.kernels.interpreter,
  streamframes.core.sessions.kernels.open, streamframes.core.sessions.kernels.operations,
  streamframes.core.sessions.kernels.propagate, streamframes.core.sessions.kernels.records,
  streamframes.core.sessions.vm.bytecode, streamframes.core.sessions.vm.encoded_tree,
  streamframes.core.sessions.vm.layout, streamframes.core.sessions.vm.machine, streamframes.core.sessions.vm.memory,
  streamframes.core.sessions.vm.tree_rows, streamframes.core.sessions.events, streamframes.core.sessions.operator,
  streamframes.core.sessions.results, streamframes.core.sessions.user_functions
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.operator import state_codec
from streamframes.core.sessions.kernels.arrays import RESULT
from streamframes.core.sessions.language.nodes import Class
from streamframes.core.sessions.language.terms import BOOLEAN, Event
from streamframes.core.sessions.operator import SessionOperator
from streamframes.core.sessions.plan import MEASURES, SESSIONS, TAGGED
from streamframes.core.sessions.user_functions import caller
from streamframes.core.sessions.vm.encoded_tree import encode
from streamframes.core.sessions.vm.machine import Machine
from streamframes.core.sessions.vm.memory import Events
from tests.core.sessions.worlds import World, worlds
from tests.core.sessions.worlds_at_work import known_group, plan_of, reference_of, rows_of
from tests.thoroughness import examples


def run(world: World, output: str, cuts: Sequence[int] = (), *, point: int | None = None) -> list[dict[str, Any]]:
    """All results; at each cut the operator is written and read again."""
    plan = plan_of(world.plan, output)
    operator = known_group(SessionOperator(plan))
    found: list[pa.RecordBatch] = []
    edges = [0, *sorted(cuts), len(world.log)]
    for low, high in itertools.pairwise(edges):
        found += operator.feed(rows_of(world.plan, world.log[low:high], low))
        saved = state_codec.decode(state_codec.encode(operator.snapshot()))
        operator = SessionOperator(plan)
        operator.restore(saved)
    if point is not None:
        found += operator.feed(rows_of(world.plan, []), np.array([point]))
    found += operator.finish()
    return [row for batch in found for row in batch.to_pylist()]


def same(a: Any, b: Any) -> bool:
    """Values that are equal, up to the rounding of sums."""
    if isinstance(a, float) or isinstance(b, float):
        return a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)
    return bool(a == b)


def plain(value: Any, kind: str) -> Any:
    """A value of the results as the reference has it."""
    if kind == "instant" and value is not None:
        return int(np.datetime64(value, "us").astype(np.int64))
    return value


WORLDS = st.tuples(worlds(), st.lists(st.integers(0, 30), max_size=3))


def cuts_of(world: World, cuts: Sequence[int]) -> list[int]:
    """Cuts that lie between two instants: what is fed together has all of an instant."""
    log = world.log
    return [cut for cut in cuts if 0 < cut < len(log) and log[cut][0] != log[cut - 1][0]]


@examples(100)
@given(WORLDS)
def test_sessions_are_those_of_the_reference(case: tuple[World, list[int]]) -> None:
    world, cuts = case
    wanted = reference_of(world.plan, world.log).closed
    found = run(world, SESSIONS, cuts_of(world, cuts))
    assert len(found) == len(wanted)
    names = [each.name for each in world.plan.classes]
    ids: dict[Any, int] = {}
    for row, each in zip(found, wanted, strict=True):
        emitted = (row["frame_class"], row["frame_start"], row["frame_end"], row["frame_rows"], row["frame_closed_by"])
        assert emitted == (names[each.cls], each.start, each.end, each.rows, each.closed_by)
        assert row["frame_level"] == world.plan.classes[each.cls].level
        assert ids.setdefault(each.id, row["frame_id"]) == row["frame_id"]
        for node, value in each.values.items():
            assert same(plain(row[f"n{node}"], world.plan.nodes[node].type), value), (node, world.plan.nodes[node])
    assert len(set(ids.values())) == len(ids)
    for row, each in zip(found, wanted, strict=True):
        assert row["frame_parent"] == (None if each.parent is None else ids[each.parent])


@examples(100)
@given(WORLDS, st.integers(0, 60))
def test_measures_are_those_of_the_reference(case: tuple[World, list[int]], later: int) -> None:
    world, cuts = case
    reference = reference_of(world.plan, world.log, ended=False)
    point = (world.log[-1][0] if world.log else 0) + later
    reference.pass_time(point)
    found = run(world, MEASURES, cuts_of(world, cuts), point=point)
    names = [each.name for each in world.plan.classes]

    def order(row: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(map(str, row[:4])), row[4]

    ids = {each: i for i, each in enumerate(dict.fromkeys(reading.id for reading in reference.emitted))}
    seen = {each: i for i, each in enumerate(dict.fromkeys(row["id"] for row in found))}
    wanted = sorted(((r.ts, names[r.cls], r.name, 0, float(r.value)) for r in reference.emitted), key=order)
    emitted = sorted(((r["ts"], r["class"], r["measure"], 0, r["value"]) for r in found), key=order)
    assert len(ids) == len(seen)
    assert len(emitted) == len(wanted)
    for a, b in zip(emitted, wanted, strict=True):
        assert a[:4] == b[:4]
        assert same(a[4], b[4])


@examples(60)
@given(WORLDS)
def test_events_belong_where_the_reference_says(case: tuple[World, list[int]]) -> None:
    world, cuts = case
    reference = reference_of(world.plan, world.log)
    found = run(world, TAGGED, cuts_of(world, cuts))
    assert [row["number"] for row in found] == list(range(len(world.log)))
    wanted: dict[tuple[int, int], list[Any]] = {}
    for number, cls, session in reference.belongs:
        wanted.setdefault((number, cls), []).append(session)
    ids: dict[Any, int] = {}
    for row in found:
        for cls, each in enumerate(world.plan.classes):
            emitted = row[f"{each.name}_id"]
            emitted = emitted if isinstance(emitted, list) else [] if emitted is None else [emitted]
            sessions = wanted.get((row["number"], cls), [])
            assert len(emitted) == len(sessions)
            for number, session in zip(emitted, sessions, strict=True):
                assert ids.setdefault(session, number) == number


@examples(60)
@given(worlds())
def test_null_keys_and_unmatched_closes_are_counted(world: World) -> None:
    reference = reference_of(world.plan, world.log)
    operator = known_group(SessionOperator(plan_of(world.plan, SESSIONS)))
    list(operator.feed(rows_of(world.plan, world.log)))
    n = len(world.plan.classes)
    assert operator.machine.null_keys.tolist() == [reference.null_keys[i] for i in range(n)]
    assert operator.machine.unmatched_closes.tolist() == [reference.unmatched_closes[i] for i in range(n)]


def family(n: int) -> tuple[list[Class], Events]:
    """A tree of keyed sessions in one B, and an event for each of n children, all at one instant; the last ends B."""
    classes = [
        Class("A", -1, 0),
        Class("B", 0, 1, keys=(0,), closes=Event(0, BOOLEAN)),
        Class("C", 1, 2, keys=(1,)),
    ]
    ends = np.zeros((1, n), np.int64)
    ends[0, -1] = 1
    keys = np.zeros((4, n), np.int64)
    keys[2] = np.arange(n)
    return classes, Events(np.array([0]), np.array([0, n]), np.full(n, 5), ends, keys)


def machine_of(classes: Sequence[Class], wants: tuple[bool, bool, bool]) -> Machine:
    built = encode(
        classes, [], [], [[]] * len(classes), salts=[1, 2, 3], strings=None, ticks_per_second=1, merges_root=False
    )
    return Machine(built, len(classes), 0, caller([]), wants=wants)


def test_many_sessions_of_one_instant_may_close_at_once() -> None:
    classes, events = family(5_000)
    machine = machine_of(classes, (True, False, False))
    closed = np.concatenate([found.closed for found in machine.flow(events, 1)])
    assert closed.shape[0] == 5_001
    assert np.unique(closed[:, RESULT.id]).size == 5_001
    assert machine.n_open == 1


def test_the_end_closes_any_number_of_sessions_with_one_event() -> None:
    classes, events = family(5_000)
    events.columns[:] = 0
    machine = machine_of(classes, (True, False, False))
    assert sum(len(found.closed) for found in machine.flow(events, 1)) == 0
    assert sum(len(found.closed) for found in machine.end()) == 5_002
    assert machine.n_open == 0


def test_what_is_closed_takes_no_room_once_the_state_is_saved() -> None:
    classes, events = family(100_000)
    machine = machine_of(classes, (False, False, False))
    small = machine.nbytes
    list(machine.flow(events, 1))
    assert machine.nbytes > 100 * small
    machine.snapshot()
    assert machine.nbytes <= small + 100
