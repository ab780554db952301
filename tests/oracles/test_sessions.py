"""The reference of nested sessions, on cases worked out by hand."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from streamframes.core.sessions.language.nodes import Class, Measure, Node
from streamframes.core.sessions.language.terms import BuiltIn, Call, Const, Event, Op, Term, Value
from tests.core.sessions.random_terms import TICKS_PER_SECOND
from tests.core.sessions.worlds import FUNCTIONS, World, simple_worlds, worlds
from tests.oracles.sessions import Reference

CHANNEL, STEP, KIND = Event(0, "long"), Event(1, "long"), Event(2, "long")
EXPRESSION = Event(3, "text")

# Figure 2 of the paper: seconds after 12:25:47, step, event, expression; the channel is 21 in all rows.
FIGURE_2 = [
    (0, 0, 107, "2126199903"), (0, 0, 102, "1075"), (0, 5, 500, "2126199903"), (8, 7, 501, "QBRICK"),
    (16, 41, 500, "ATT"), (16, 378, 500, "Starting"), (24, 342, 501, "FAQ"), (28, 380, 501, "FAQ_Categ = 1"),
    (41, 352, 501, "FAQ_Question = 2"), (80, 352, 501, "FAQ_Question = #"), (85, 380, 501, "FAQ_Categ = 2"),
    (89, 354, 501, "FAQ_Question = 3"), (114, 342, 501, "FAQ"), (116, 380, 501, "FAQ_Categ = 3"),
    (119, 356, 501, "FAQ_Question = 2"), (137, 342, 501, "ACCOUNT"), (169, 342, 501, "Location"),
    (179, 348, 501, "New York"), (186, 381, 500, "ATTCenter0076.wav"), (207, 348, 501, "New Jersey"),
    (231, 348, 501, "#"), (235, 342, 501, "#"), (235, 0, 104, "2"),
]  # fmt: skip
LOG = [(ts, (21, step, kind, expression)) for ts, step, kind, expression in FIGURE_2]

SYSTEM, CALL, ATT, FAQ = range(4)


def op(name: str, *args: Term, type: str = "boolean") -> Op:
    return Op(name, args, type)


def equals(left: Term, right: Any) -> Op:
    return op("long =", left, Const(right, left.type))


def both(left: Term, right: Term) -> Op:
    return op("and", left, right)


def duration(cls: int) -> Node:
    return Node(cls, "computed", "duration", BuiltIn(cls, "duration", "duration"))


def one(cls: int) -> Node:
    """Something of a class that can be counted."""
    return Node(cls, "opened", "long", Const(1, "long"))


CALLS = [
    Class("System", -1, 0),
    Class("Call", SYSTEM, 1, (0,), opens=equals(KIND, 102), closes=equals(KIND, 104)),
    Class(
        "ATT",
        CALL,
        2,
        opens=both(equals(KIND, 500), equals(EXPRESSION, "ATT")),
        closes=both(equals(STEP, 342), equals(EXPRESSION, "#")),
    ),
    Class(
        "FAQ",
        ATT,
        3,
        opens=both(equals(STEP, 342), equals(EXPRESSION, "FAQ")),
        closes=both(equals(STEP, 342), op("not", equals(EXPRESSION, "FAQ"))),
    ),
]


def run(classes: Any, nodes: Any, events: Any, *measures: Measure, ticks: float = 1, functions: Any = ()) -> Reference:
    reference = Reference(classes, nodes, measures, ticks, functions)
    reference.feed((ts, values if isinstance(values, tuple) else (values,)) for ts, values in events)
    reference.finish()
    return reference


def shown(reference: Reference) -> list[tuple[Any, ...]]:
    """Class, key, start, end, rows and reason of the closed sessions."""
    return [(s.cls, s.key, s.start, s.end, s.rows, s.closed_by) for s in reference.closed]


def emitted(reference: Reference) -> list[tuple[Any, ...]]:
    return [(each.ts, each.name, each.value) for each in reference.emitted]


def keyless(name: str = "S", parent: int = -1, level: int = 0, **settings: Any) -> Class:
    return Class(name, parent, level, **settings)


X = Event(0, "long")
ROOT = keyless()
# Periods of three ticks that take even instants only: an odd one always opens another.
IS_NEAR = op("long <=", op("long -", X, BuiltIn(1, "start", "instant"), type="duration"), Const(2, "duration"))
IS_ODD = equals(op("long %", X, Const(2, "long"), type="long"), 1)
OVERLAPPING = keyless("P", 0, 1, matches=both(IS_NEAR, op("not", IS_ODD)))


class TestFigure2:
    def test_one_call_holds_one_att_which_holds_one_faq(self):
        reference = run(CALLS, [], LOG)
        assert shown(reference) == [
            (FAQ, (), 24, 137, 10, "condition"),
            (ATT, (), 16, 235, 18, "condition"),
            (CALL, (21,), 0, 235, 22, "condition"),
            (SYSTEM, (), 0, 235, 23, "end of data"),
        ]

    def test_identities_lead_up_to_the_system(self):
        faq, att, call, system = run(CALLS, [], LOG).closed
        assert system.id == (None, 0, (), None, 0)
        assert system.parent is None
        assert call.id == (system.id, CALL, (21,), 0, 0)
        assert att.id == (call.id, ATT, (), 16, 0)
        assert faq.id == (att.id, FAQ, (), 24, 0)
        assert faq.parent == att.id

    def test_a_closing_condition_without_a_session_is_counted(self):
        assert run(CALLS, [], LOG).unmatched_closes == {FAQ: 2}  # Location and #, after ACCOUNT closed it

    def test_the_first_row_belongs_to_the_system_alone(self):
        belongs = run(CALLS, [], LOG).belongs
        assert [cls for event, cls, _ in belongs if event == 0] == [SYSTEM]
        assert [cls for event, cls, _ in belongs if event == 15] == [SYSTEM, CALL, ATT, FAQ]
        assert [cls for event, cls, _ in belongs if event == 22] == [SYSTEM, CALL]

    def test_q1_the_average_length_of_calls(self):
        again = [(ts + 1000, values) for ts, values in LOG[:-1]] + [(1300, (21, 0, 104, "2"))]
        nodes = [duration(CALL), Node(SYSTEM, "avg", "double", source=0)]
        reference = run(CALLS, nodes, LOG + again, Measure("Q1", 1))
        assert emitted(reference) == [(235, "Q1", 235.0), (1300, "Q1", 267.5)]

    def test_q2_the_average_of_the_totals_of_att(self):
        calls = [
            [(0, 102, ""), (10, 500, "ATT"), (14, 342, "#"), (20, 500, "ATT"), (27, 342, "#"), (30, 104, "")],
            [(40, 102, ""), (50, 500, "ATT"), (59, 104, "")],
            [(60, 102, ""), (70, 104, "")],
        ]
        events = [(ts, (1, kind if kind == 342 else 0, kind, text)) for call in calls for ts, kind, text in call]
        nodes = [duration(ATT), Node(CALL, "sum", "duration", source=0), Node(SYSTEM, "avg", "double", source=1)]
        reference = run(CALLS, nodes, events, Measure("Q2", 2))
        # The third call has no ATT and takes no part; that of the second closes with its call.
        assert emitted(reference) == [(30, "Q2", 11.0), (59, "Q2", 10.0)]
        assert [s.values[1] for s in reference.closed if s.cls == CALL] == [11, 9, None]

    def test_q5_the_average_of_faq_skips_two_levels(self):
        nodes = [Node(SYSTEM, "avg", "double", source=1), duration(FAQ)]
        assert emitted(run(CALLS, nodes, LOG, Measure("Q5", 0), ticks=2)) == [(137, "Q5", 56.5)]

    def test_q3_the_fifth_att_disconnects_the_call(self):
        disconnect = op("long <=", Const(5, "long"), Value(1, "long"))
        classes = [*CALLS]
        classes[CALL] = Class("Call", SYSTEM, 1, (0,), opens=equals(KIND, 102), closes=disconnect)
        nodes = [one(ATT), Node(CALL, "count", "long", source=0, when="on_open")]
        rows = [(0, 0, 102, "")]
        for ts in range(10, 70, 10):
            rows += [(ts, 41, 500, "ATT"), (ts + 1, 342, 501, "#")]
        events = [(ts, (7, step, kind, text)) for ts, step, kind, text in rows]
        reference = run(classes, nodes, events, Measure("calls", 1))
        calls = [each for each in shown(reference) if each[0] != SYSTEM]
        assert calls == [(ATT, (), ts, ts + 1, 2, "condition") for ts in (10, 20, 30, 40)] + [
            (ATT, (), 50, 50, 1, "parent"),
            (CALL, (7,), 0, 50, 10, "condition"),
        ]
        assert emitted(reference) == [(ts, "calls", ts // 10) for ts in (10, 20, 30, 40, 50)]


class TestFlow:
    def test_an_event_without_a_key_does_not_go_down(self):
        reference = run([ROOT, keyless("K", 0, 1, keys=(0,))], [], [(1, 5), (2, None), (3, 5)])
        assert shown(reference) == [(1, (5,), 1, 3, 2, "end of data"), (0, (), 1, 3, 3, "end of data")]
        assert reference.null_keys == {1: 1}

    def test_an_event_goes_to_all_that_match(self):
        reference = run([ROOT, OVERLAPPING], [], [(ts, ts) for ts in (0, 1, 2, 3, 5)])
        assert [each[2:5] for each in shown(reference)[:-1]] == [(0, 2, 2), (1, 2, 2), (3, 3, 1), (5, 5, 1)]
        assert [identity[3] for event, cls, identity in reference.belongs if (event, cls) == (2, 1)] == [0, 1]

    def test_a_session_is_not_opened_again_by_the_event_that_closed_it(self):
        always = keyless("S", 0, 1, closes=Const(True, "boolean"))
        reference = run([ROOT, always], [], [(1, 0), (1, 0)])
        assert [each.id for each in reference.closed[:2]] == [
            ((None, 0, (), None, 0), 1, (), 1, 0),
            ((None, 0, (), None, 0), 1, (), 1, 1),
        ]

    def test_an_unknown_condition_neither_opens_nor_closes(self):
        unsure = op("long <", X, Const(2, "long"))
        reference = run([ROOT, keyless("S", 0, 1, opens=unsure, closes=unsure)], [], [(1, None), (2, 1), (3, None)])
        assert shown(reference)[0] == (1, (), 2, 2, 1, "condition")

    def test_silence_closes_the_deepest_first_and_then_what_it_is_in(self):
        classes = [keyless("A", timeout=5), keyless("B", 0, 1, timeout=5), keyless("C", 0, 1, opens=equals(X, 1))]
        reference = Reference(classes, [], [])
        reference.feed([(0, (1,)), (5, (0,))])
        reference.pass_time(10)
        assert reference.closed == []
        reference.pass_time(11)
        assert shown(reference) == [
            (1, (), 0, 5, 2, "timeout"),
            (2, (), 0, 5, 2, "parent"),
            (0, (), 0, 5, 2, "timeout"),
        ]

    def test_an_event_at_the_deadline_is_in_time(self):
        reference = run([keyless(timeout=5)], [], [(0, 0), (5, 0), (11, 0)])
        assert shown(reference) == [(0, (), 0, 5, 2, "timeout"), (0, (), 11, 11, 1, "end of data")]

    def test_parts_see_what_the_event_did_to_the_session_they_are_in(self):
        second = op("long <=", Const(2, "long"), BuiltIn(0, "rows", "long"))
        assert shown(run([ROOT, keyless("S", 0, 1, opens=second)], [], [(1, 0), (2, 0)]))[0][2] == 2


class TestNodes:
    def test_functions_of_events(self):
        functions = {"sum": 6, "avg": 2.0, "min": 1, "max": 3, "count": 3, "first": 3, "last": 2, "stddev": 1.0}
        nodes = [Node(0, function, "", X) for function in functions]
        ended = run([ROOT], nodes, [(1, 3), (2, None), (3, 1), (4, 2)]).closed[0]
        assert list(ended.values.values()) == list(functions.values())

    def test_without_values_all_but_the_count_are_null(self):
        nodes = [Node(0, function, "", X) for function in ("sum", "avg", "min", "count", "last", "stddev")]
        assert list(run([ROOT], nodes, [(1, None)]).closed[0].values.values()) == [None, None, None, 0, None, None]

    def test_nan_is_null(self):
        y = Event(0, "double")
        nodes = [Node(0, "count", "long", y), Node(0, "sum", "double", y)]
        assert run([ROOT], nodes, [(1, float("nan")), (2, 0.5)]).closed[0].values == {0: 1, 1: 0.5}

    def test_only_the_latest_values_count(self):
        nodes = [Node(0, "sum", "long", X, last=2), Node(0, "sum", "long", X, span=2)]
        reference = run([ROOT], nodes, [(1, 1), (2, 10), (4, 100)], Measure("last", 0), Measure("span", 1))
        assert emitted(reference) == [
            (1, "last", 1), (1, "span", 1), (2, "last", 11), (2, "span", 11), (4, "last", 110), (4, "span", 100),
        ]  # fmt: skip

    def test_a_span_ends_at_the_deadline_when_silence_closes(self):
        classes = [ROOT, keyless("S", 0, 1, timeout=5)]
        nodes = [Node(1, "count", "long", X, span=6), Node(1, "count", "long", X, span=5)]
        assert run(classes, nodes, [(0, 1), (9, 1)]).closed[0].values == {0: 1, 1: 0}

    def test_a_span_ends_with_the_session_at_the_end_of_data(self):
        nodes = [Node(1, "count", "long", X, span=2)]
        reference = run([ROOT, Class("K", 0, 1, (0,))], nodes, [(0, 1), (1, 1), (9, 2)])
        assert [each.values for each in reference.closed] == [{0: 2}, {0: 1}, {}]

    def test_a_fold_of_the_user_and_a_function_of_the_user(self):
        y = Event(0, "double")
        nodes = [Node(0, "fold", "double", y, user=1), Node(0, "last", "double", Call(0, (y, Const(3.0, "double"))))]
        reference = run([ROOT], nodes, [(1, 4.0), (2, 1.0), (3, None)], functions=FUNCTIONS)
        assert reference.closed[0].values == {0: 3.0, 1: 2.0}

    def test_attributes_are_kept_at_opening_and_at_closing(self):
        classes = [ROOT, keyless("S", 0, 1, closes=equals(X, 3))]
        rows = BuiltIn(1, "rows", "long")
        nodes = [Node(1, "opened", "long", X), Node(1, "closed", "long", X), Node(1, "closed", "long", rows)]
        reference = run(classes, nodes, [(1, 1), (2, 2), (3, 3), (4, 4)])
        assert [each.values for each in reference.closed[:2]] == [{0: 1, 1: 3, 2: 3}, {0: 4, 1: None, 2: 1}]

    def test_an_argument_may_name_the_value_it_makes(self):
        running = op("long +", op("coalesce", Value(0, "long"), Const(0, "long"), type="long"), X, type="long")
        assert run([ROOT], [Node(0, "last", "long", running)], [(1, 1), (2, 2), (3, 4)]).closed[0].values == {0: 7}


class TestBackPropagation:
    CLASSES = (ROOT, Class("C", 0, 1, (0,)), Class("E", 1, 2, (1,), closes=equals(Event(2, "long"), 0)))

    def test_the_tags_say_when_a_value_is_reported(self):
        """A.max(E.sum(v)) by each tag: at its first value, at every change, at its end."""
        v = Event(2, "long")
        tags = ("on_open", "continuous", "on_close")
        nodes = [Node(2, "sum", "long", v), *(Node(0, "max", "long", source=0, when=tag) for tag in tags)]
        measures = [Measure(tag, n + 1) for n, tag in enumerate(tags)]
        reference = run(
            self.CLASSES, nodes, [(1, (1, 1, 5)), (2, (1, 1, 3)), (3, (1, 2, 7)), (4, (1, 1, 0))], *measures
        )
        assert emitted(reference) == [
            (1, "on_open", 5), (1, "continuous", 5), (2, "continuous", 8), (3, "on_open", 7), (4, "on_close", 8),
        ]  # fmt: skip

    def test_example_3_2_an_average_waits_until_its_parts_close(self):
        """A.avg(C.min(E.sum(v))): the minimum changes with each E, the average only when a C closes."""
        classes = [*self.CLASSES]
        classes[1] = Class("C", 0, 1, (0,), closes=equals(Event(2, "long"), -1))
        nodes = [
            Node(0, "avg", "double", source=1),
            Node(1, "min", "long", source=2, when="on_close"),
            Node(2, "sum", "long", Event(2, "long")),
        ]
        events = [(1, (1, 1, 5)), (2, (1, 1, 0)), (3, (1, 2, 4)), (4, (1, 2, 0)), (5, (1, 3, -1))]
        reference = run(classes, nodes, events, Measure("A", 0), Measure("C", 1))
        assert emitted(reference) == [(2, "C", 5), (4, "C", 4), (5, "C", -1), (5, "A", -1.0)]

    def test_only_sessions_that_the_filter_keeps_are_counted(self):
        long = op("long <=", Const(2, "long"), BuiltIn(2, "rows", "long"))
        nodes = [Node(0, "count", "long", source=1, where=long), one(2)]
        events = [(1, (1, 1, 5)), (2, (1, 1, 0)), (3, (1, 2, 0))]
        assert run(self.CLASSES, nodes, events).closed[-1].values[0] == 1

    def test_what_reports_at_opening_waits_for_a_value_that_the_filter_keeps(self):
        big = op("long <", Const(4, "long"), Value(0, "long"))
        nodes = [
            Node(2, "last", "long", Event(2, "long")),
            Node(0, "first", "long", source=0, when="on_open", where=big),
        ]
        events = [(1, (1, 1, 3)), (2, (1, 1, 6)), (3, (1, 1, 9))]
        assert run(self.CLASSES, nodes, events).closed[-1].values == {1: 6}

    def test_the_end_of_data_reports_nothing(self):
        nodes = [one(2), Node(0, "count", "long", source=0), Node(0, "sum", "long", Event(2, "long"))]
        reference = run(self.CLASSES, nodes, [(1, (1, 1, 5))], Measure("n", 1), Measure("sum", 2, "on_close"))
        assert reference.closed[-1].values == {1: 0, 2: 5}
        assert emitted(reference) == []

    def test_the_last_calls_alone(self):
        nodes = [duration(1), Node(0, "avg", "double", source=0, last=2)]
        classes = [ROOT, keyless("S", 0, 1, closes=equals(X, 0))]
        events = [(0, 1), (10, 0), (20, 1), (22, 0), (30, 1), (34, 0)]
        assert emitted(run(classes, nodes, events, Measure("avg", 1))) == [
            (10, "avg", 10.0), (22, "avg", 6.0), (34, "avg", 3.0),
        ]  # fmt: skip


class TestMeasures:
    @pytest.mark.parametrize(
        ("when", "expected"),
        [("continuous", [(1, 3), (3, 5), (9, 1)]), ("on_open", [(1, 3), (9, 1)]), ("on_close", [(8, 5)])],
    )
    def test_a_measure_is_emitted_as_its_tag_says(self, when, expected):
        classes = [ROOT, keyless("S", 0, 1, timeout=4)]
        nodes = [Node(1, "max", "long", X)]
        reference = run(classes, nodes, [(1, 3), (2, 2), (3, 5), (4, None), (9, 1)], Measure("m", 0, when))
        assert [(each.ts, each.value) for each in reference.emitted] == expected

    def test_a_measure_of_a_session_that_closes_is_emitted_before_it_is_gone(self):
        classes = [ROOT, keyless("S", 0, 1, closes=equals(X, 2))]
        reference = run(classes, [Node(1, "sum", "long", X)], [(1, 1), (2, 2), (3, 2)], Measure("m", 0))
        assert emitted(reference) == [(1, "m", 1), (2, "m", 3), (3, "m", 2)]
        assert [each.id[3] for each in reference.emitted] == [1, 1, 3]

    def test_only_the_value_at_the_end_of_the_step_is_emitted(self):
        """At 2 the root receives 2 from one session and 3 from the other; at 3 it receives 3 once more."""
        nodes = [Node(1, "sum", "long", X), Node(0, "last", "long", source=0, when="continuous")]
        reference = run([ROOT, OVERLAPPING], nodes, [(ts, ts) for ts in (0, 1, 2, 3, 5)], Measure("m", 1))
        assert emitted(reference) == [(0, "m", 0), (1, "m", 1), (2, "m", 3), (5, "m", 5)]


def run_world(world: World, cuts: int = 1) -> Reference:
    plan = world.plan
    reference = Reference(plan.classes, plan.nodes, plan.measures, TICKS_PER_SECOND, FUNCTIONS)
    for start in range(0, len(world.log), cuts):
        reference.feed(world.log[start : start + cuts])
    reference.finish()
    return reference


@given(worlds())
def test_sessions_lie_within_the_sessions_they_are_in(world):
    reference = run_world(world)
    by_id = {each.id: each for each in reference.closed}
    assert len(by_id) == len(reference.closed)
    events = {(event, identity) for event, _, identity in reference.belongs}
    assert Counter(identity for _, _, identity in reference.belongs) == {
        each.id: each.rows for each in reference.closed
    }
    for event, _, identity in reference.belongs:
        assert by_id[identity].parent is None or (event, by_id[identity].parent) in events


@given(simple_worlds())
def test_what_reaches_the_root_is_emitted_of_sessions_that_were_open(world):
    reference = run_world(world, cuts=7)
    ids = {each.id for each in reference.closed}
    assert {each.id for each in reference.emitted} <= ids
    assert [each.ts for each in reference.emitted] == sorted(each.ts for each in reference.emitted)
