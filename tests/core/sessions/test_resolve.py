"""Trees, conditions and aggregates are understood, or refused with a remedy.

Covers: streamframes.core.sessions.language.aggregate_nodes, streamframes.core.sessions.language.aggregates,
  streamframes.core.sessions.language.conditions, streamframes.core.sessions.language.nodes,
  streamframes.core.sessions.language.operators, streamframes.core.sessions.language.resolve,
  streamframes.core.sessions.language.symbols, streamframes.core.sessions.language.terms,
  streamframes.core.sessions.partitioning, streamframes.core.sessions.tree
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from streamframes.core.batch.clock import Clock
from streamframes.core.schemes.folds import Fold
from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE, ON_OPEN
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import DURATION, LONG, Event
from streamframes.core.sessions.partitioning import BY_PARTS, BY_ROOT, TOGETHER, partitioning_of
from streamframes.core.sessions.tree import Session, checked_forest
from streamframes.core.sparksql import Untranslatable, translate
from streamframes.errors import InvalidArgument

SCHEMA = pa.schema(
    {"ts": pa.timestamp("us"), "channel": pa.int32(), "code": pa.int32(), "word": pa.string(), "bytes": pa.int64()}
)


def type_of(expression: Any, what: str) -> pa.DataType:
    """The type of an expression, as the engine of rows would say."""
    try:
        return translate(expression, SCHEMA).type
    except Untranslatable as error:
        raise InvalidArgument(f"{what}: {error}") from error


def planned(root: Session, **measures: str) -> Planner:
    """A tree with measures."""
    (root,) = checked_forest(root)
    planner = Planner(root, SCHEMA.names, "ts", pa.timestamp("us"), Clock("timestamp"), type_of)
    for name, text in measures.items():
        planner.add_measure(name, text)
    return planner


def calls(**more: Any) -> Session:
    """System > Call > (ATT > FAQ, News)."""
    faq = Session("FAQ", opens="word = 'FAQ'", closes="code = 9")
    att = Session("ATT", opens="word = 'ATT'", closes="word = '#'", parts=[faq])
    news = Session("News", opens="word = 'NEWS'")
    settings: dict[str, Any] = {"key": "channel", "opens": "code = 102", "closes": "code = 104", "parts": [att, news]}
    return Session("System", parts=[Session("Call", **{**settings, **more})])


def test_a_path_may_skip_levels_and_tags_have_defaults() -> None:
    planner = planned(
        calls(),
        deep="System.avg(Call.sum(ATT.duration(ts)))",
        skipping="System.avg(FAQ.duration(ts))",
        counted="System.count(ATT)",
        most="System.max(Call.sum(bytes))",
        late="System.max(Call.sum(bytes) on_close)",
        once="System.sum(Call.first(bytes) on_open)",
    )
    nodes = [planner.nodes[measure.node] for measure in planner.measures]
    assert [node.when for node in nodes] == [ON_CLOSE, ON_CLOSE, ON_OPEN, CONTINUOUS, ON_CLOSE, ON_OPEN]
    assert planner.nodes[nodes[0].source or 0].type == DURATION
    assert nodes[3].type == LONG


def test_what_two_measures_share_is_kept_once() -> None:
    alone = planned(calls(), a="System.avg(Call.sum(ATT.duration(ts)))")
    both = planned(calls(), a="System.avg(Call.sum(ATT.duration(ts)))", b="System.max(Call.sum(ATT.duration(ts)))")
    assert len(both.nodes) == len(alone.nodes) + 1


def test_the_largest_parts_without_state_are_columns() -> None:
    planner = planned(calls())
    assert isinstance(planner.classes[1].closes, Event)
    planner = planned(calls(closes="code = 104 or (Call.count(ATT) > 4 and bytes + 1 > 7)"))
    assert "code = 104" in planner.events
    assert "bytes + 1 > 7" in planner.events


def test_a_column_wins_over_an_attribute_of_its_name() -> None:
    attributes = {"bytes": "sum(bytes)", "total": "sum(bytes)"}
    planner = planned(calls(attributes=attributes, closes="bytes > 3"))
    assert isinstance(planner.classes[1].closes, Event)
    for text in ("Call.bytes > 3", "total > 3", "rows > 3", "duration > interval 5 minutes", "duration > 2.5"):
        planner = planned(calls(attributes=attributes, closes=text))
        assert not isinstance(planner.classes[1].closes, Event), text


PARTITIONINGS: list[tuple[Session, dict[str, str], str]] = [
    (calls(), {"a": "System.avg(Call.duration(ts))"}, BY_PARTS),
    (calls(), {"a": "System.max(Call.sum(bytes))", "b": "Call.count(ATT)"}, BY_PARTS),
    (calls(), {"a": "System.avg(Call.duration(ts), last=10)"}, TOGETHER),
    (calls(), {"a": "System.last(Call.rows)"}, TOGETHER),
    (calls(opens="code = 102 and System.count(Call) < 10"), {}, TOGETHER),
    (calls(key=None), {}, TOGETHER),
    (Session("Call", key="channel", parts=[Session("ATT", opens="word = 'ATT'")]), {"a": "Call.last(bytes)"}, BY_ROOT),
    (Session("All", closes="code = 1", parts=[Session("Call", key="channel")]), {}, TOGETHER),
]


@pytest.mark.parametrize(("tree", "measures", "kind"), PARTITIONINGS)
def test_events_are_partitioned_where_the_root_allows(tree: Session, measures: dict[str, str], kind: str) -> None:
    assert partitioning_of(planned(tree, **measures)).kind == kind


def test_a_tree_is_spelled_alike_in_every_process() -> None:
    def made(rate: int) -> Session:
        more = {"attributes": {"total": _fold()}, "on_close": {"cost": lambda rows: rows * rate}}
        return calls(**more)

    assert made(2).spelling() == made(2).spelling() != made(3).spelling()
    assert " at 0x" not in made(2).spelling()


def _fold() -> Fold:
    return Fold("bytes", (0.0,), lambda s, v: (s[0] + v,), lambda s: s[0])


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: Session("1x"), "name like 'Call'"),
    (lambda: Session("rows"), "name like 'Call'"),
    (lambda: Session("A", key="x", matches="y = 1"), "one of them"),
    (lambda: Session("A", timeout="soon"), "not a duration"),
    (lambda: Session("A", parts=["B"]), "list of Session"),  # type: ignore[list-item]
    (lambda: Session("A", attributes={"rows": "sum(x)"}), "'rows'"),
    (lambda: Session("A", attributes={"x": "sum(x)"}, on_close={"X": "1"}), "two attributes"),
    (lambda: checked_forest([]), "give a Session"),
    (lambda: planned(Session("A", parts=[Session("B"), Session("b")])), "two classes called 'b'"),
    (lambda: planned(Session("A", parts=[Session("B", parts=[Session("A")])])), "cycle"),
    (lambda: planned(Session("A", parts=[Session("B", source="log")])), "source of the root"),
    (lambda: planned(calls(key="chanel")), "the columns are ts, channel"),
    (lambda: planned(calls(closes="code + 1")), "write a condition"),
    (lambda: planned(calls(closes="cod = 1")), "cod"),
    (lambda: planned(calls(opens="rows > 1")), "rows"),
    (lambda: planned(calls(opens="Call.count(ATT) > 1")), "the state of Call"),
    (lambda: planned(calls(opens="opening.code = 1")), "not known before"),
    (lambda: planned(calls(closes="FAQ.rows > 1")), "the state of FAQ"),
    (lambda: planned(calls(closes="opening.nothing = 1")), "names no column"),
    (lambda: planned(calls(closes="upper(opening.word) = 'A'")), "more than can be done"),
    (lambda: planned(calls(closes="opening.word < 'A'")), "only be = or <>"),
    (lambda: planned(calls(closes="opening.word = rows")), "brings together"),
    (lambda: planned(calls(attributes={"x": "bytes"})), "sum(bytes)"),
    (lambda: planned(calls(attributes={"x": "median(bytes)"})), "the functions are"),
    (lambda: planned(calls(attributes={"x": "sum(word)"})), "needs numbers"),
    (lambda: planned(calls(attributes={"x": "max(word)"})), "orders values"),
    (lambda: planned(calls(on_close={"x": _fold()})), "move it to attributes"),
    (lambda: planned(calls(on_close={"x": lambda word: 1})), "take numbers"),
    (lambda: planned(calls(), a="Sistem.avg(Call.rows)"), "the classes are System"),
    (lambda: planned(calls(), a="System.median(Call.rows)"), "the functions are"),
    (lambda: planned(calls(), a="ATT.sum(News.rows)"), "News is not inside ATT"),
    (lambda: planned(calls(), a="Call.sum(System.rows)"), "System is not inside Call"),
    (lambda: planned(calls(), a="Call.sum(Call.rows)"), "not inside"),
    (lambda: planned(calls(), a="System.sum(Call.rows continuous)"), "whenever it changes"),
    (lambda: planned(calls(), a="System.count(Call continuous)"), "whenever it changes"),
    (lambda: planned(calls(), a="System.max(Call.rows continuous, last=3)"), "has last="),
    (lambda: planned(calls(), a="System.sum(Call)"), "only be counted"),
    (lambda: planned(calls(), a="System.sum(Call.nothing)"), "names no attribute"),
    (lambda: planned(calls(), a="System.sum(Call.rows, last=0)"), "last=0"),
    (lambda: planned(calls(), a="System.sum(Call.rows, last='soon')"), "soon"),
    (lambda: planned(calls(), a="System.sum(Call.rows where code = 1)"), "state of Call only"),
    (lambda: planned(calls(), a="System.sum(Call.rows where)"), "without a condition"),
    (lambda: planned(calls(), a="System.sum(Call.rows / 2)"), "keep it as an attribute"),
    (lambda: planned(calls(), a="System.sum(Call.rows"), "not closed"),
    (lambda: planned(calls(), a="System.sum(Call.rows) + 1"), "not understood"),
    (lambda: planned(calls(), a="count(Call)"), "begin with a class"),
    (lambda: planned(calls(), a=""), "write an aggregate"),
    (lambda: planned(calls(), a="System.first(Call.first(word))"), "measures are numbers"),
    (lambda: planned(calls(), a="Call.sum(bytes on_open)"), "events have no tag"),
    (lambda: planned(calls(), a="Call.sum()"), "of nothing"),
    (lambda: planned(calls(), a="Call.duration(ATT.rows)"), "column of events"),
]


@pytest.mark.parametrize(("asked", "emitted"), REFUSED)
def test_what_cannot_be_is_refused_with_a_remedy(asked: Callable[[], Any], emitted: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        asked()
    assert emitted in str(caught.value)
