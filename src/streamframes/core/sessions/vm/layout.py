"""Tables: a resolved tree as one array of words, which the engine reads.

  head | classes | nodes | programs, lists of numbers and blank records as they are needed

Everything that the engine asks of a class is a field of its row: how it is found, its programs, and where the lists
of its parts, its nodes that read events, its reports and its results stand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from streamframes.core.sessions.language.nodes import (
    CLOSED,
    COMPUTED,
    FOLD,
    ON_CLOSE,
    ON_OPEN,
    OPENED,
    TAGS,
    Class,
    Measure,
    Node,
    parts_of,
    path_of,
)
from streamframes.core.sessions.language.terms import DOUBLE, DURATION, LONG, BuiltIn, Call, Term, Value, parts
from streamframes.core.sessions.vm import accumulators as acc
from streamframes.core.sessions.vm import bytecode as prog
from streamframes.core.sessions.vm.bits import NAN, null_of
from streamframes.errors import InvalidArgument

# How the session of an event is found: there is one at most, by key, or by a condition on each.
ONE, BY_KEY, BY_MATCH = range(3)
(
    C_PARENT, C_LEVEL, C_WIDTH, C_FINDS, C_KEY, C_OPENS, C_CLOSES, C_MATCHES, C_STRAY, C_TIMEOUT, C_LANE, C_PARTS,
    C_N_PARTS, C_HEADS, C_READS, C_N_READS, C_OPENED, C_N_OPENED, C_CLOSED, C_N_CLOSED, C_FIRES, C_N_FIRES, C_ENDS,
    C_N_ENDS, C_TELLS, C_N_TELLS, C_OUTS, C_N_OUTS, C_BLANK, C_SALT, C_LASTING, C_AHEAD, C_NEWER,
) = range(33)  # fmt: skip
CLASS_FIELDS = 33
# A class whose sessions are known by keys alone: class, key, the one of these that it is in (or -1), width.
AHEAD_FIELDS = 4
# A measure in the list of its class: number, node, tag, and the words of its record: step, told, value.
TELL_FIELDS = 5
# What a result of a closed session begins with.
O_CLASS, O_ID, O_PARENT, O_START, O_END, O_ROWS, O_CLOSED_BY, O_GROUP = range(8)
O_HEAD = 8
# A result: its column, and its program.
OUT_FIELDS = 2

CODES = {
    "count": (acc.COUNT, acc.COUNT),
    "sum": (acc.SUM_LONG, acc.SUM_DOUBLE),
    "avg": (acc.AVG_LONG, acc.AVG_DOUBLE),
    "min": (acc.MIN_LONG, acc.MIN_DOUBLE),
    "max": (acc.MAX_LONG, acc.MAX_DOUBLE),
    "first": (acc.FIRST_LONG, acc.FIRST_DOUBLE),
    "last": (acc.LAST_VALUE, acc.LAST_VALUE),
    "stddev": (acc.STDDEV, acc.STDDEV),
    COMPUTED: (acc.COMPUTED_VALUE, acc.COMPUTED_VALUE),
    OPENED: (acc.KEPT, acc.KEPT),
    CLOSED: (acc.KEPT, acc.KEPT),
    FOLD: (acc.FOLDED, acc.FOLDED),
}
_NO_CHANGE, _TO_DOUBLE, _TO_SECONDS = range(3)


@dataclass(frozen=True)
class Output:
    """A column of the results of a class: its number, and what it tells."""

    column: int
    term: Term


@dataclass
class Tables:
    """The words of a tree, and what must be known of the records outside of the engine."""

    words: np.ndarray
    widths: list[int]
    slots: list[int]
    lanes: int
    ahead: int
    # By what they are for: class, place in the record, number of words, and whether they are a window.
    places: dict[Any, tuple[int, int, int, bool]]


def input_type(nodes: Sequence[Node], node: Node) -> str:
    """The type of the values that a node gets."""
    if node.source is not None:
        return nodes[node.source].type
    return node.argument.type if node.argument is not None else LONG


def state_free(term: Term) -> bool:
    """Whether a term depends on the event alone."""
    return not any(isinstance(part, Value | BuiltIn | Call) for part in parts(term))


def build(
    classes: Sequence[Class],
    nodes: Sequence[Node],
    measures: Sequence[Measure],
    outputs: Sequence[Sequence[Output]],
    *,
    salts: Sequence[int],
    texts: Any,
    ticks_per_second: int,
    spans: bool,
) -> Tables:
    """The words of a tree; `spans` says that the root is not kept here, but what it would receive is told."""
    return _Builder(classes, nodes, measures, outputs, texts).build(salts, ticks_per_second, spans)


class _Builder:
    def __init__(
        self,
        classes: Sequence[Class],
        nodes: Sequence[Node],
        measures: Sequence[Measure],
        outputs: Sequence[Sequence[Output]],
        texts: Any,
    ) -> None:
        self.classes, self.nodes, self.measures, self.outputs = classes, nodes, measures, outputs
        self.classes_at = prog.P_HEAD
        self.nodes_at = self.classes_at + len(classes) * CLASS_FIELDS
        self.words = [0] * (self.nodes_at + len(nodes) * prog.NODE_FIELDS)
        self.programs = prog.Programs(self.words, classes, nodes, texts)
        self.blanks: list[list[int]] = [[] for _ in classes]
        self.slots = [0] * len(nodes)
        self.flags: dict[int, int] = {}
        self.places: dict[Any, tuple[int, int, int, bool]] = {}
        self.told: list[int] = []
        self.heads = [prog.HEADER] * len(classes)
        self.newer = [0] * len(classes)

    def room(self, cls: int, words: Sequence[int]) -> int:
        """Room in the record of a class that begins with these words; returns where."""
        at = prog.HEADER + len(self.blanks[cls])
        self.blanks[cls] += words
        return at

    def width(self, cls: int) -> int:
        """The words of a record of a class, whole lines."""
        return -(-(prog.HEADER + len(self.blanks[cls])) // prog.LINE) * prog.LINE

    def lay_out(self) -> None:
        """Give each list of children, node, flag and measure its words in a record."""
        for i, each in enumerate(self.classes):
            if each.parent >= 0:
                self.heads[i] = self.room(each.parent, (0, 0))
            if each.timeout is not None:
                self.newer[i] = self.room(i, (0, 0))
        for i, node in enumerate(self.nodes):
            self.slots[i] = self.place(("node", self.spelled(i)), node.cls, self.blank(node), node.is_windowed)
        for i, node in enumerate(self.nodes):
            if node.source is not None and node.when == ON_OPEN:
                source = self.nodes[node.source].cls
                self.flags[i] = self.place(("told once", self.spelled(i)), source, (0,))
        for measure in self.measures:
            cls = self.nodes[measure.node].cls
            key = ("measure", measure.name, measure.when, self.spelled(measure.node))
            self.told.append(self.place(key, cls, (0, 0, 0)))

    def spelled(self, number: int, within: tuple[int, ...] = ()) -> str:
        """What a node is, whatever its number and those of others: so it is found again when others come and go."""
        if number in within:
            return f"{len(within) - within.index(number)} above"
        node, path = self.nodes[number], (*within, number)
        source = "" if node.source is None else self.spelled(node.source, path)
        terms = [self.meant(term, path) for term in (node.argument, node.where)]
        return repr((replace(node, source=None, argument=None, where=None), source, terms))

    def meant(self, term: Term | None, path: tuple[int, ...]) -> str:
        """A term with nodes spelled out; `path` are those that it is a part of."""
        if isinstance(term, Value):
            return self.spelled(term.node, path)
        args = [self.meant(arg, path) for arg in getattr(term, "args", ())]
        return repr((type(term).__name__, args) if args else term)

    def place(self, key: Any, cls: int, words: Sequence[int], windowed: bool = False) -> int:
        """Room in the records of a class that is found again by its key."""
        at = self.room(cls, words)
        while key in self.places:
            key = ("again", key)
        self.places[key] = (cls, at, len(words), windowed)
        return at

    def blank(self, node: Node) -> tuple[int, ...]:
        if node.is_windowed:
            return (0, 0, 0)
        code = self.code(node)
        if code == acc.FOLDED:
            return (NAN, *(int(np.float64(x).view(np.int64)) for x in node.start))
        return acc.BLANK.get(code, (null_of(node.type),))

    def code(self, node: Node) -> int:
        return CODES[node.function][input_type(self.nodes, node) == DOUBLE]

    def listed(self, numbers: Sequence[int]) -> tuple[int, int]:
        """A list: where it stands, and how many numbers it has."""
        self.words += numbers
        return len(self.words) - len(numbers), len(numbers)

    def node_at(self, node: int) -> int:
        return self.nodes_at + node * prog.NODE_FIELDS

    def build(self, salts: Sequence[int], ticks_per_second: int, spans: bool) -> Tables:
        self.lay_out()
        keyed = [i for i, each in enumerate(self.classes) if each.keys]
        ahead = self.known_ahead()
        timed = [i for i, each in enumerate(self.classes) if each.timeout is not None]
        for i in range(len(self.nodes)):
            self.write(self.node_at(i), self.node_row(i, ticks_per_second))
        for i in range(len(self.classes)):
            row = self.class_row(i, keyed, timed, salts[i])
            row[C_AHEAD] = ahead.index(i) if i in ahead else -1
            self.write(self.classes_at + i * CLASS_FIELDS, row)
        widths = [self.width(i) for i in range(len(self.classes))]
        head = {
            prog.P_CLASSES: self.classes_at,
            prog.P_NODES: self.nodes_at,
            prog.P_N_CLASSES: len(self.classes),
            prog.P_N_NODES: len(self.nodes),
            prog.P_SECOND: ticks_per_second,
            prog.P_SPANS: int(spans),
            prog.P_MATCHES: int(any(each.matches is not None for each in self.classes)),
            prog.P_WINDOWS: sum(node.is_windowed for node in self.nodes),
            prog.P_WIDTH: sum(widths),
            prog.P_LANES: len(timed),
            prog.P_MEASURES: len(self.measures),
            prog.P_TIMED: self.listed(timed)[0],
            prog.P_AHEAD: self.listed([word for i in ahead for word in self.ahead_row(i, ahead, keyed)])[0],
            prog.P_N_AHEAD: len(ahead),
            prog.P_OUT_WIDTH: O_HEAD + 1 + max((each.column for outs in self.outputs for each in outs), default=-1),
        }
        self.write(0, head)
        if self.programs.deepest > prog.STACK:
            raise InvalidArgument(
                f"a condition holds {self.programs.deepest} values at once; {prog.STACK} are possible"
            )
        return Tables(np.array(self.words, np.int64), widths, self.slots, len(timed), len(ahead), self.places)

    def known_ahead(self) -> list[int]:
        """The keyed classes all of whose sessions are told apart by keys: where an event goes is known before."""
        told_apart = [bool(each.keys) or each.matches is None for each in self.classes]
        return [
            i
            for i, each in enumerate(self.classes)
            if each.keys and all(told_apart[above] for above in path_of(self.classes, i))
        ]

    def ahead_row(self, number: int, ahead: Sequence[int], keyed: Sequence[int]) -> tuple[int, ...]:
        above = [ahead.index(i) for i in path_of(self.classes, number)[1:] if i in ahead]
        return number, keyed.index(number), above[0] if above else -1, self.width(number)

    def write(self, at: int, fields: Mapping[int, int]) -> None:
        for number, word in fields.items():
            self.words[at + number] = word

    def node_row(self, number: int, ticks_per_second: int) -> dict[int, int]:
        node = self.nodes[number]
        kind = input_type(self.nodes, node)
        immediate = [i for i, each in enumerate(self.nodes) if each.source == number and each.when != ON_CLOSE]
        at_end = [i for i, each in enumerate(self.nodes) if each.source == number and each.when == ON_CLOSE]
        edges, n_edges = self.listed([self.node_at(i) for i in immediate])
        ends, n_ends = self.listed([self.node_at(i) for i in at_end])
        told = [i for i, each in enumerate(self.measures) if each.node == number and each.when != ON_CLOSE]
        tells, n_tells = self.listed([word for i in told for word in (i, self.told[i])])
        code = self.code(node)
        row = {
            prog.N_CLASS: node.cls,
            prog.N_CODE: code,
            prog.N_SLOT: self.slots[number],
            prog.N_ARGUMENT: self.programs.reference(node.argument, node.cls),
            prog.N_COMPUTED: prog.NO_PROGRAM,
            prog.N_DOUBLE: int(node.type == DOUBLE),
            prog.N_INPUT_DOUBLE: int(kind == DOUBLE),
            prog.N_WHEN: TAGS.index(node.when),
            prog.N_WHERE: prog.NO_PROGRAM,
            prog.N_CONVERT: _NO_CHANGE,
            prog.N_LAST: -1 if node.last is None else node.last,
            prog.N_SPAN: -1 if node.span is None else node.span,
            prog.N_USER: -1 if node.user is None else node.user,
            prog.N_SIZE: len(node.start),
            prog.N_SCALE: ticks_per_second if kind == DURATION else 1,
            prog.N_EDGES: edges,
            prog.N_EDGE_COUNT: n_edges,
            prog.N_ENDS: ends,
            prog.N_END_COUNT: n_ends,
            prog.N_TELLS: tells,
            prog.N_TELL_COUNT: n_tells // 2,
            prog.N_FLAG: self.flags.get(number, 0),
        }
        if node.function == COMPUTED and node.argument is not None:
            row[prog.N_COMPUTED] = self.programs.reference(node.argument, node.cls)
        if node.function in ("stddev", FOLD):
            row[prog.N_CONVERT] = {DURATION: _TO_SECONDS, DOUBLE: _NO_CHANGE}.get(kind, _TO_DOUBLE)
        if node.is_windowed:
            blank = acc.BLANK.get(code, (null_of(node.type),))
            row[prog.N_SIZE] = self.listed([*blank, *[0] * (acc.MOST_WORDS - len(blank))])[0]
        if node.source is not None:
            source = self.nodes[node.source].cls
            row[prog.N_UPS] = path_of(self.classes, source).index(node.cls)
            row[prog.N_WHERE] = self.programs.reference(node.where, source)
            row[prog.N_SOURCE] = self.node_at(node.source)
        return row

    def class_row(self, number: int, keyed: Sequence[int], timed: Sequence[int], salt: int) -> dict[int, int]:
        each = self.classes[number]
        own = [(i, node) for i, node in enumerate(self.nodes) if node.cls == number]
        kept = (OPENED, CLOSED, COMPUTED)
        reads = [i for i, node in own if node.argument is not None and node.function not in kept]
        fires = [i for i, node in own if node.source is None and node.function != CLOSED and self.is_heard(i)]
        ends = [i for i, _ in own if any(n.source == i and n.when == ON_CLOSE for n in self.nodes)]
        tells = [i for i, measure in enumerate(self.measures) if self.nodes[measure.node].cls == number]
        blank = self.blanks[number] + [0] * (self.width(number) - prog.HEADER - len(self.blanks[number]))
        outs = [
            word
            for output in self.outputs[number]
            for word in (output.column, self.programs.reference(output.term, number))
        ]
        lists = {
            C_PARTS: parts_of(self.classes, number),
            C_READS: [self.node_at(i) for i in reads],
            C_OPENED: [self.node_at(i) for i, node in own if node.function == OPENED],
            C_CLOSED: [self.node_at(i) for i, node in own if node.function == CLOSED],
            C_FIRES: [self.node_at(i) for i in fires],
            C_ENDS: [self.node_at(i) for i in ends],
            C_TELLS: [word for i in tells for word in self.tell(i)],
            C_OUTS: outs,
            C_BLANK: blank,
        }
        row = {
            C_PARENT: each.parent,
            C_LEVEL: each.level,
            C_WIDTH: self.width(number),
            C_FINDS: BY_KEY if each.keys else BY_MATCH if each.matches is not None else ONE,
            C_KEY: keyed.index(number) if each.keys else -1,
            C_OPENS: self.programs.reference(each.opens, each.parent),
            C_CLOSES: self.programs.reference(each.closes, number),
            C_MATCHES: self.programs.reference(each.matches, number),
            C_STRAY: prog.NO_PROGRAM,
            C_TIMEOUT: -1 if each.timeout is None else each.timeout,
            C_LANE: timed.index(number) if each.timeout is not None else -1,
            C_HEADS: self.heads[number],
            C_NEWER: self.newer[number],
            C_SALT: salt,
            C_LASTING: int(each.is_lasting),
        }
        if each.closes is not None and state_free(each.closes):
            row[C_STRAY] = self.programs.reference(each.closes, number)
        counts = {
            C_PARTS: C_N_PARTS, C_READS: C_N_READS, C_OPENED: C_N_OPENED, C_CLOSED: C_N_CLOSED, C_FIRES: C_N_FIRES,
            C_ENDS: C_N_ENDS, C_TELLS: C_N_TELLS, C_OUTS: C_N_OUTS,
        }  # fmt: skip
        for name, numbers in lists.items():
            row[name], size = self.listed(numbers)
            if name in counts:
                row[counts[name]] = size // {C_TELLS: TELL_FIELDS, C_OUTS: OUT_FIELDS}.get(name, 1)
        return row

    def is_heard(self, node: int) -> bool:
        """Whether something must be done as soon as a node changes."""
        told = any(each.node == node and each.when != ON_CLOSE for each in self.measures)
        return told or any(each.source == node and each.when != ON_CLOSE for each in self.nodes)

    def tell(self, number: int) -> tuple[int, ...]:
        measure = self.measures[number]
        return number, self.node_at(measure.node), TAGS.index(measure.when), self.told[number], 0
