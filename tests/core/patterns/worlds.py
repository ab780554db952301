"""Random patterns, definitions and rows: as text for the library, and as Python for the reference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import hypothesis.strategies as st

from streamframes.core.patterns.language import pattern as p
from tests.oracles.patterns import Condition, View

NAMES = ("A", "B", "C")
KINDS = ("p", "q")


def text_of(part: p.Pattern) -> str:
    """A pattern as text."""
    if isinstance(part, p.Variable):
        return part.name
    if isinstance(part, p.Anchor):
        return part.sign
    if isinstance(part, p.Sequence):
        return f"({' '.join(map(text_of, part.parts))})"
    if isinstance(part, p.Choice):
        return f"({' | '.join(map(text_of, part.parts))})"
    if isinstance(part, p.Permutation):
        return f"PERMUTE({', '.join(map(text_of, part.parts))})"
    if isinstance(part, p.Exclusion):
        return f"{{- {text_of(part.part)} -}}"
    most = "" if part.most is None else part.most
    return f"({text_of(part.part)}){{{part.least},{most}}}{'' if part.greedy else '?'}"


def _larger(inner: st.SearchStrategy[p.Pattern], exclusion: bool) -> st.SearchStrategy[p.Pattern]:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    bounds = st.sampled_from([(0, None), (1, None), (0, 1), (2, None), (1, 2), (0, 2), (2, 2)])
    repeat = st.builds(lambda part, b, greedy: p.Repeat(part, *b, greedy), inner, bounds, st.booleans())
    kinds = [several.map(p.Sequence), several.map(p.Choice), repeat, repeat]
    kinds += [st.lists(inner, min_size=2, max_size=3).map(lambda parts: p.Permutation(tuple(parts)))]
    if exclusion:
        kinds.append(inner.map(p.Exclusion))
    return st.one_of(kinds)


def patterns(*, anchors: bool = True, exclusion: bool = True) -> st.SearchStrategy[p.Pattern]:
    """Small patterns of every kind that have a variable."""
    leaf: list[st.SearchStrategy[p.Pattern]] = [st.sampled_from(NAMES).map(p.Variable)] * 6
    if anchors:
        leaf.append(st.sampled_from("^$").map(p.Anchor))
    leaf.append(st.just(p.Sequence(())))
    found = st.recursive(st.one_of(leaf), lambda inner: _larger(inner, exclusion), max_leaves=5)
    return found.filter(lambda part: bool(p.variables(part)))


@dataclass(frozen=True)
class Atom:
    """A condition as text, and what it means."""

    text: str
    holds: Condition


def _compare(sign: str, a: Any, b: Any) -> bool | None:
    if a is None or b is None:
        return None
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b, "<>": a != b}[sign]


def _mean(values: Sequence[Any]) -> float | None:
    return sum(values) / len(values) if values else None


VALUES: list[Callable[[str, str], tuple[str, Callable[[View], Any]]]] = [
    lambda own, other: ("PREV(x)", lambda v: v.nav(None, "x", shift=-1)),
    lambda own, other: (f"PREV({own}.x, 2)", lambda v: v.nav([own], "x", shift=-2)),
    lambda own, other: ("NEXT(x)", lambda v: v.nav(None, "x", shift=1)),
]
HISTORY: list[Callable[[str, str], tuple[str, Callable[[View], Any]]]] = [
    lambda own, other: ("FIRST(x)", lambda v: v.nav(None, "x", first=True)),
    lambda own, other: (f"FIRST({own}.x, 1)", lambda v: v.nav([own], "x", first=True, offset=1)),
    lambda own, other: (f"LAST({own}.x, 1)", lambda v: v.nav([own], "x", offset=1)),
    lambda own, other: (f"{other}.x", lambda v: v.nav([other], "x")),
    lambda own, other: (f"LAST({other}.x, 2)", lambda v: v.nav([other], "x", offset=2)),
    lambda own, other: (f"PREV(LAST({other}.x, 1), 1)", lambda v: v.nav([other], "x", offset=1, shift=-1)),
    lambda own, other: (f"NEXT(FIRST({other}.x), 1)", lambda v: v.nav([other], "x", first=True, shift=1)),
    lambda own, other: ("LAST(S.x, 1)", lambda v: v.nav(["A", "B"], "x", offset=1)),
    lambda own, other: (f"count({other}.*)", lambda v: len(v.places([other]))),
    lambda own, other: ("count(*)", lambda v: len(v.places(None))),
    lambda own, other: (f"count({own}.x)", lambda v: len(v.values([own], "x"))),
    lambda own, other: (f"sum({own}.x)", lambda v: sum(v.values([own], "x")) if v.values([own], "x") else None),
    lambda own, other: (f"avg({other}.x)", lambda v: _mean(v.values([other], "x"))),
    lambda own, other: ("max(S.y)", lambda v: max(v.values(["A", "B"], "y"), default=None)),
    lambda own, other: ("min(x)", lambda v: min(v.values(None, "x"), default=None)),
    lambda own, other: ("MATCH_NUMBER()", lambda v: v.number),
]
TEXTS: list[Callable[[str, str], tuple[str, Callable[[View], Any]]]] = [
    lambda own, other: ("LAST(CLASSIFIER(), 1)", lambda v: v.classifier(None, 1)),
    lambda own, other: ("FIRST(CLASSIFIER(S))", lambda v: v.classifier(["A", "B"], first=True)),
]


@st.composite
def atoms(draw: st.DrawFn, own: str, history: bool) -> Atom:
    """A condition of one comparison."""
    sign = draw(st.sampled_from(["<", "<=", ">", ">=", "=", "<>"]))
    number = draw(st.integers(0, 3))
    other = draw(st.sampled_from([name for name in NAMES if name != own]))
    kind = draw(st.sampled_from(["row", "row", "value", "value", "text"]))
    if kind == "row" or (kind == "text" and not history):
        return Atom(f"x {sign} {number}", lambda v: _compare(sign, v.nav(None, "x"), number))
    if kind == "text":
        text, value = draw(st.sampled_from(TEXTS))(own, other)
        return Atom(f"{text} = '{other}'", lambda v: _compare("=", value(v), other))
    text, value = draw(st.sampled_from(VALUES + HISTORY if history else VALUES))(own, other)
    if draw(st.booleans()):
        return Atom(f"x {sign} {text}", lambda v: _compare(sign, v.nav(None, "x"), value(v)))
    return Atom(f"{text} {sign} {number}", lambda v: _compare(sign, value(v), number))


def _and(a: bool | None, b: bool | None) -> bool | None:
    return False if a is False or b is False else (None if a is None or b is None else True)


@st.composite
def conditions(draw: st.DrawFn, own: str, history: bool) -> Atom:
    """One or two comparisons."""
    first = draw(atoms(own, history))
    how = draw(st.sampled_from(["", "", "and", "or", "not"]))
    if not how:
        return first
    if how == "not":
        return Atom(f"not ({first.text})", lambda v: None if first.holds(v) is None else not first.holds(v))
    second = draw(atoms(own, history))
    if how == "and":
        return Atom(f"{first.text} and {second.text}", lambda v: _and(first.holds(v), second.holds(v)))

    def either(v: View) -> bool | None:
        a, b = first.holds(v), second.holds(v)
        return True if a or b else (None if a is None or b is None else False)

    return Atom(f"({first.text} or {second.text})", either)


@dataclass(frozen=True)
class Question:
    """A pattern with definitions and options, as text and as Python."""

    pattern: p.Pattern
    define: Mapping[str, Atom]
    skip: str = "past last row"
    within: int | None = None
    subset: Mapping[str, Sequence[str]] = field(default_factory=lambda: {"S": ("A", "B")})

    @property
    def texts(self) -> dict[str, str]:
        return {name: atom.text for name, atom in self.define.items()}

    @property
    def skip_to(self) -> tuple[str, ...]:
        names = self.skip.split()[2:]
        return tuple(self.subset.get(names[0], (names[0],))) if self.skip.startswith(("to first", "to last")) else ()


def _full(part: p.Pattern) -> p.Pattern:
    """The pattern, with a choice at its end that names all variables, so that definitions may."""
    missing = [name for name in NAMES if name not in p.variables(part)]
    if not missing:
        return part
    return p.Choice((part, p.Sequence(tuple(p.Variable(name) for name in missing))))


@st.composite
def questions(draw: st.DrawFn, *, history: bool, anchors: bool = True, exclusion: bool = True) -> Question:
    """A pattern, a definition for most of its variables, and how to go on after a match."""
    pattern = _full(draw(patterns(anchors=anchors, exclusion=exclusion)))
    define = {}
    for name in NAMES:
        if draw(st.integers(0, 4)):
            define[name] = draw(conditions(name, history))
    skips = ["past last row", "past last row", "to next row", "to next row", "to first B", "to last S"]
    within = draw(st.sampled_from([None, None, 2, 5]))
    return Question(pattern, define, draw(st.sampled_from(skips)), within)


ROW = st.fixed_dictionaries(
    {
        "ts": st.integers(0, 12),
        "x": st.sampled_from([0, 1, 2, 3, 3, None]),
        "y": st.sampled_from([0.5, 1.5, 2.5, None]),
        "k": st.sampled_from(KINDS),
    }
)


def rows(most: int = 7) -> st.SearchStrategy[list[dict[str, Any]]]:
    """Rows of two groups, in order."""
    return st.lists(ROW, min_size=1, max_size=2 * most).map(
        lambda found: sorted(found, key=lambda row: (row["k"], row["ts"]))
    )
