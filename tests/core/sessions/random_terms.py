"""Random terms, small and well typed.

All that decides something is exact, so that an engine may round sums and deviations in its own way:

  EXACT   whole numbers and few binary digits: sums of them are exact in any order
  FIXED   the same steps make the same bits (an average, a quotient), but a sum of them may be rounded
  ROUGH   deviations and sums of rounded values: never in a term
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from streamframes.core.sessions.language.nodes import Class, Node
from streamframes.core.sessions.language.terms import TYPES, BuiltIn, Call, Const, Event, Op, Term, Value

TICKS_PER_SECOND = 4.0  # a power of two: durations in seconds stay exact
EXACT, FIXED, ROUGH = range(3)
LARGEST = 2**40
MOST_EVENTS, MOST_SESSIONS = 2**6, 2**10
LARGEST_VALUE = {"long": 8, "double": 8, "duration": 2**10, "instant": 2**10}

DOMAINS: dict[str, list[Any]] = {
    "long": [0, 1, 2, -1, 3],
    "double": [0.0, 1.0, 0.5, -1.5, 2.0],
    "boolean": [True, False],
    "text": ["a", "b", "c"],
    "instant": [0, 3, 7, 12],
    "duration": [0, 1, 2, 5, 9],
}
NUMBERS = ("long", "double", "duration")
ORDERED = (*NUMBERS, "instant")


@dataclass(frozen=True)
class Scope:
    """What a term may name: the event, the state of classes, and of the nodes there only some."""

    event: bool
    classes: Sequence[int]
    nodes: Sequence[int]


@dataclass
class TermMaker:
    """Draws terms. Every node is known with its largest size and how exact it is."""

    draw: Callable[..., Any]
    with_state: bool
    columns: tuple[str, ...] = ()
    classes: list[Class] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    known: list[tuple[int, int]] = field(default_factory=list)

    def pick(self, choices: Sequence[Any]) -> Any:
        """One of several."""
        return self.draw(st.sampled_from(choices))

    def chance(self, of: int, out_of: int = 4) -> bool:
        """True so often, and False when an example shrinks."""
        return bool(self.draw(st.integers(0, out_of - 1)) >= out_of - of)

    def condition(self, scope: Scope) -> Term:
        """A condition; most compare one thing with a constant, so that they hold now and then."""
        form = self.pick(["compare", "compare", "compare", "both", "either", "any"])
        if form == "any":
            return self.term("boolean", scope, 3)
        if form != "compare":
            return Op({"both": "and", "either": "or"}[form], (self.condition(scope), self.condition(scope)), "boolean")
        leaves = [leaf for kind in TYPES for leaf in self._leaves(kind, scope)]
        leaf = self.pick(leaves) if leaves else Const(1, "long")
        return self._comparison(leaf, Const(self.pick(DOMAINS[leaf.type]), leaf.type))

    def _comparison(self, left: Term, right: Term) -> Term:
        symbol = self.pick(["=", "<", "<="]) if left.type in ORDERED else "="
        args = (left, right) if self.chance(2) else (right, left)
        return Op(f"{'double' if left.type == 'double' else 'long'} {symbol}", args, "boolean")

    def _leaves(self, kind: str, scope: Scope) -> list[Term]:
        leaves: list[Term] = [Event(c, t) for c, t in enumerate(self.columns) if scope.event and t == kind]
        leaves += [Value(n, kind) for n in scope.nodes if self.nodes[n].type == kind]
        emitted = {"long": ["rows"], "instant": ["start", "end"], "duration": ["duration"]}.get(kind, [])
        return leaves + [BuiltIn(cls, what, kind) for cls in scope.classes for what in emitted]

    def term(self, kind: str, scope: Scope, depth: int) -> Term:
        """A term of a type."""
        forms = self._forms(kind) if depth else []
        if not forms or self.chance(2):
            leaves = self._leaves(kind, scope)
            if leaves and self.chance(3):
                leaf: Term = self.pick(leaves)
                return leaf
            return Const(None if self.chance(1, 6) else self.pick(DOMAINS[kind]), kind)
        name, types = self.pick(forms)
        if name == "compare":
            operand = self.pick(TYPES)
            return self._comparison(*(self.term(operand, scope, depth - 1) for _ in range(2)))
        args = tuple(self.term(self.pick(TYPES) if t == "any" else t, scope, depth - 1) for t in types)
        term = Call(0, args) if name == "call" else Op(name, args, kind)
        return term if self.size_of(term) <= LARGEST else args[0]

    def _forms(self, kind: str) -> list[tuple[str, tuple[str, ...]]]:
        """Operators that make a type, with the types of their arguments."""
        forms = [("coalesce", (kind,) * self.draw(st.integers(1, 3)))]
        if kind in ("long", "double"):
            forms += [(f"{kind} {symbol}", (kind, kind)) for symbol in "+-*%"] + [(f"{kind} neg", (kind,))]
        if kind == "double":
            forms += [("double /", (kind, kind)), ("to double", ("long",)), ("seconds", ("duration",))]
            forms += [("call", (kind, kind))]
        if kind == "boolean":
            forms += [("compare", ()), ("not", (kind,)), ("is null", ("any",))]
            forms += [(name, (kind, kind)) for name in ("and", "or")]
        if kind == "duration":
            forms += [("long -", ("instant", "instant"))]
        return forms

    def size_of(self, term: Term) -> int:
        """At most so large is a term; a quotient by a small number is larger than what is divided."""
        if isinstance(term, Value):
            return self.known[term.node][0] if term.node < len(self.known) else LARGEST
        if isinstance(term, BuiltIn):
            return MOST_EVENTS if term.what == "rows" else LARGEST_VALUE[term.type]
        if isinstance(term, Const | Event):
            return LARGEST_VALUE.get(term.type, 1)
        sizes = [self.size_of(arg) for arg in term.args]
        if isinstance(term, Op) and term.name.endswith("%"):
            return min(sizes)
        if isinstance(term, Op) and term.name.endswith(("*", "/")):
            return sizes[0] * sizes[1] if term.name.endswith("*") else sizes[0] * 2**10
        return sum(sizes) + 2 if term.type in LARGEST_VALUE else 1

    def grade_of(self, term: Term) -> int:
        """How exact a term is."""
        if isinstance(term, Value):
            return self.known[term.node][1] if term.node < len(self.known) else EXACT
        if isinstance(term, Call) or (isinstance(term, Op) and term.name in ("double *", "double /")):
            return FIXED
        grades = [self.grade_of(arg) for arg in getattr(term, "args", ())]
        return max(grades, default=EXACT) if term.type == "double" else EXACT
