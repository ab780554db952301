"""Tree rows: what the encoded tree says of each class and each node, and the lists and programs these lead to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from streamframes.core.sessions.kernels.accumulators import (
    BLANK,
    MOST_WORDS,
    NO_CONVERSION,
    TO_DOUBLE,
    TO_SECONDS,
    code_of,
    input_type,
)
from streamframes.core.sessions.kernels.fields import (
    BY_KEY,
    BY_MATCH,
    CLASS,
    COLUMN,
    MEASURE,
    NO_PROGRAM,
    NODE,
    ONE,
    TREE,
    null_of,
)
from streamframes.core.sessions.language.nodes import (
    CLOSED,
    COMPUTED,
    FOLD,
    ON_CLOSE,
    OPENED,
    TAGS,
    Class,
    Measure,
    Node,
    parts_of,
    path_of,
)
from streamframes.core.sessions.language.terms import DOUBLE, DURATION, Term, is_stateless
from streamframes.core.sessions.string_ids import StringIds
from streamframes.core.sessions.vm.bytecode import Programs
from streamframes.core.sessions.vm.layout import RecordLayout

# Lists of a class, each with the field for how many entries it has, and the words of an entry.
_COUNTED = {
    CLASS.parts: (CLASS.n_parts, 1),
    CLASS.reads: (CLASS.n_reads, 1),
    CLASS.on_open: (CLASS.n_on_open, 1),
    CLASS.on_close: (CLASS.n_on_close, 1),
    CLASS.changes: (CLASS.n_changes, 1),
    CLASS.passed_on: (CLASS.n_passed_on, 1),
    CLASS.measures: (CLASS.n_measures, len(MEASURE)),
    CLASS.columns: (CLASS.n_columns, len(COLUMN)),
}


class ResultColumn(NamedTuple):
    """A column of the results of a class, and the term that it shows."""

    number: int
    term: Term


class TreeRows:
    """The words of a tree, of which each class and each node has a row."""

    def __init__(
        self,
        classes: Sequence[Class],
        nodes: Sequence[Node],
        measures: Sequence[Measure],
        columns: Sequence[Sequence[ResultColumn]],
        strings: StringIds | None,
    ) -> None:
        self.classes, self.nodes, self.measures, self.columns = classes, nodes, measures, columns
        self.layout = RecordLayout(classes, nodes, measures)
        self.keyed = [i for i, each in enumerate(classes) if each.keys]
        self.timed = [i for i, each in enumerate(classes) if each.timeout is not None]
        self.ahead = self._known_ahead()
        self.classes_at = len(TREE)
        self.nodes_at = self.classes_at + len(classes) * len(CLASS)
        self.words = [0] * (self.nodes_at + len(nodes) * len(NODE))
        self.programs = Programs(self.words, classes, nodes, strings)

    def write(self, at: int, fields: Mapping[int, int]) -> None:
        """Write fields of a row."""
        for number, word in fields.items():
            self.words[at + number] = word

    def listed(self, numbers: Sequence[int]) -> tuple[int, int]:
        """A list: where it stands, and how many numbers it has."""
        self.words += numbers
        return len(self.words) - len(numbers), len(numbers)

    def node_at(self, node: int) -> int:
        """Where the row of a node begins."""
        return self.nodes_at + node * len(NODE)

    def _known_ahead(self) -> list[int]:
        """The keyed classes all of whose sessions differ by their keys: where an event goes is known before."""
        by_keys = [bool(each.keys) or each.matches is None for each in self.classes]
        return [i for i in self.keyed if all(by_keys[above] for above in path_of(self.classes, i))]

    def ahead_row(self, number: int) -> tuple[int, ...]:
        """The row of a class whose keys alone say the session."""
        above = [self.ahead.index(i) for i in path_of(self.classes, number)[1:] if i in self.ahead]
        return number, self.keyed.index(number), above[0] if above else -1, self.layout.width(number)

    def node_row(self, number: int, ticks_per_second: int) -> dict[int, int]:
        """The fields of a node."""
        node = self.nodes[number]
        kind = input_type(self.nodes, node)
        at_once = [i for i, each in enumerate(self.nodes) if each.source == number and each.when != ON_CLOSE]
        at_close = [i for i, each in enumerate(self.nodes) if each.source == number and each.when == ON_CLOSE]
        receivers, n_receivers = self.listed([self.node_at(i) for i in at_once])
        receivers_on_close, n_on_close = self.listed([self.node_at(i) for i in at_close])
        measures = [i for i, each in enumerate(self.measures) if each.node == number and each.when != ON_CLOSE]
        emitted, _ = self.listed([word for i in measures for word in (i, self.layout.measure_states[i])])
        code = code_of(self.nodes, node)
        row = {
            NODE.cls: node.cls,
            NODE.code: code,
            NODE.place: self.layout.node_places[number],
            NODE.argument: self.programs.reference(node.argument, node.cls),
            NODE.computed: NO_PROGRAM,
            NODE.is_double: int(node.type == DOUBLE),
            NODE.reads_double: int(kind == DOUBLE),
            NODE.when: TAGS.index(node.when),
            NODE.where: NO_PROGRAM,
            NODE.conversion: NO_CONVERSION,
            NODE.last: -1 if node.last is None else node.last,
            NODE.span: -1 if node.span is None else node.span,
            NODE.user: -1 if node.user is None else node.user,
            NODE.size: len(node.start),
            NODE.scale: ticks_per_second if kind == DURATION else 1,
            NODE.receivers: receivers,
            NODE.n_receivers: n_receivers,
            NODE.receivers_on_close: receivers_on_close,
            NODE.n_receivers_on_close: n_on_close,
            NODE.measures: emitted,
            NODE.n_measures: len(measures),
            NODE.passed_once: self.layout.passed_once.get(number, 0),
        }
        if node.function == COMPUTED and node.argument is not None:
            row[NODE.computed] = self.programs.reference(node.argument, node.cls)
        if node.function in ("stddev", FOLD):
            row[NODE.conversion] = {DURATION: TO_SECONDS, DOUBLE: NO_CONVERSION}.get(kind, TO_DOUBLE)
        if node.is_windowed:
            blank = BLANK.get(code, (null_of(node.type),))
            row[NODE.size] = self.listed([*blank, *[0] * (MOST_WORDS - len(blank))])[0]
        if node.source is not None:
            source = self.nodes[node.source].cls
            row[NODE.levels_up] = path_of(self.classes, source).index(node.cls)
            row[NODE.where] = self.programs.reference(node.where, source)
        return row

    def class_row(self, number: int, salt: int) -> dict[int, int]:
        """The fields of a class."""
        each = self.classes[number]
        row = {
            CLASS.level: each.level,
            CLASS.width: self.layout.width(number),
            CLASS.found_by: BY_KEY if each.keys else BY_MATCH if each.matches is not None else ONE,
            CLASS.key: self.keyed.index(number) if each.keys else -1,
            CLASS.opens: self.programs.reference(each.opens, each.parent),
            CLASS.closes: self.programs.reference(each.closes, number),
            CLASS.matches: self.programs.reference(each.matches, number),
            CLASS.unmatched: NO_PROGRAM,
            CLASS.timeout: -1 if each.timeout is None else each.timeout,
            CLASS.lane: self.timed.index(number) if each.timeout is not None else -1,
            CLASS.children: self.layout.children[number],
            CLASS.lane_links: self.layout.lane_links[number],
            CLASS.salt: salt,
            CLASS.lasting: int(each.is_lasting),
            CLASS.ahead: self.ahead.index(number) if number in self.ahead else -1,
        }
        if each.closes is not None and is_stateless(each.closes):
            row[CLASS.unmatched] = self.programs.reference(each.closes, number)
        for name, numbers in self._lists(number).items():
            row[name], size = self.listed(numbers)
            if name in _COUNTED:
                count, width = _COUNTED[name]
                row[count] = size // width
        return row

    def _lists(self, number: int) -> dict[int, list[int]]:
        """The lists of a class, by the fields that say where they are."""
        own = [(i, node) for i, node in enumerate(self.nodes) if node.cls == number]
        kept = (OPENED, CLOSED, COMPUTED)
        reads = [i for i, node in own if node.argument is not None and node.function not in kept]
        changes = [
            i for i, node in own if node.source is None and node.function != CLOSED and self._is_passed_at_once(i)
        ]
        passed_on = [i for i, _ in own if any(n.source == i and n.when == ON_CLOSE for n in self.nodes)]
        measures = [i for i, each in enumerate(self.measures) if self.nodes[each.node].cls == number]
        columns = [(each.number, self.programs.reference(each.term, number)) for each in self.columns[number]]
        return {
            CLASS.parts: parts_of(self.classes, number),
            CLASS.reads: [self.node_at(i) for i in reads],
            CLASS.on_open: [self.node_at(i) for i, node in own if node.function == OPENED],
            CLASS.on_close: [self.node_at(i) for i, node in own if node.function == CLOSED],
            CLASS.changes: [self.node_at(i) for i in changes],
            CLASS.passed_on: [self.node_at(i) for i in passed_on],
            CLASS.measures: [word for i in measures for word in self._measure_row(i)],
            CLASS.columns: [word for column in columns for word in column],
            CLASS.blank: self.layout.blank(number),
        }

    def _is_passed_at_once(self, node: int) -> bool:
        """Whether something must be done as soon as a node changes."""
        emitted = any(each.node == node and each.when != ON_CLOSE for each in self.measures)
        return emitted or any(each.source == node and each.when != ON_CLOSE for each in self.nodes)

    def _measure_row(self, number: int) -> tuple[int, ...]:
        measure = self.measures[number]
        return number, self.node_at(measure.node), TAGS.index(measure.when), self.layout.measure_states[number]
