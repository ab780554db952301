"""Fields: what each 64-bit word of an encoded tree means.

  head | a row for each class | a row for each node | programs, lists, blank records

A field is its place: the word at `row + CLASS.timeout` is the timeout of the class whose row begins at `row`.

A word holds a value of any type, so that one array holds records of any mixture. Whole numbers, instants, durations,
truth values and the ids of strings are longs; null is the smallest long. Doubles are their bits; null is any NaN.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined
from streamframes.core.sessions.language.terms import DOUBLE

NULL = np.iinfo(np.int64).min
NAN = int(np.float64(np.nan).view(np.int64))
_ALL_BUT_SIGN = np.int64(2**63 - 1)
_INFINITE = np.int64(0x7FF0000000000000)


class TreeHead(NamedTuple):
    """The head of a tree. `timed` lists the classes with a timeout, `ahead` those whose keys alone say the session."""

    classes: int
    nodes: int
    n_classes: int
    n_nodes: int
    ticks_per_second: int
    merges_root: int
    has_matches: int
    n_windows: int
    width: int
    n_lanes: int
    n_measures: int
    timed: int
    result_width: int
    ahead: int
    n_ahead: int


class ClassRow(NamedTuple):
    """A class: how its sessions are found, its programs, and its lists, each followed by how many entries it has.

    `children` is the place, in a record of the parent, of its first and last child of this class; `lane_links`, in an
    own record, of its neighbours in the lane; `unmatched` is the program that says whether an event that finds no
    session would have closed one.
    """

    level: int
    width: int
    found_by: int
    key: int
    opens: int
    closes: int
    matches: int
    unmatched: int
    timeout: int
    lane: int
    parts: int
    n_parts: int
    children: int
    reads: int
    n_reads: int
    on_open: int
    n_on_open: int
    on_close: int
    n_on_close: int
    changes: int
    n_changes: int
    passed_on: int
    n_passed_on: int
    measures: int
    n_measures: int
    columns: int
    n_columns: int
    blank: int
    salt: int
    lasting: int
    ahead: int
    lane_links: int


class NodeRow(NamedTuple):
    """A node: where its value is, what it reads, and which nodes receive its value at once and at the closing."""

    cls: int
    code: int
    place: int
    argument: int
    is_double: int
    when: int
    where: int
    passed_once: int
    levels_up: int
    conversion: int
    last: int
    span: int
    user: int
    size: int
    scale: int
    receivers: int
    n_receivers: int
    receivers_on_close: int
    n_receivers_on_close: int
    measures: int
    n_measures: int
    reads_double: int
    computed: int


class ColumnRow(NamedTuple):
    """A column of the results of a class: its number, and the program for its value."""

    number: int
    program: int


class AheadRow(NamedTuple):
    """A class whose sessions differ by keys alone; `above` is the row of the next such class on its path."""

    cls: int
    key: int
    above: int
    width: int


class MeasureRow(NamedTuple):
    """A measure in the list of its class; `state` is the place in a record of: step, whether emitted, value."""

    number: int
    node: int
    when: int
    state: int


TREE = TreeHead(*range(len(TreeHead._fields)))
CLASS = ClassRow(*range(len(ClassRow._fields)))
NODE = NodeRow(*range(len(NodeRow._fields)))
COLUMN = ColumnRow(*range(len(ColumnRow._fields)))
AHEAD = AheadRow(*range(len(AheadRow._fields)))
MEASURE = MeasureRow(*range(len(MeasureRow._fields)))
# How the session of an event is found: there is one at most, by key, or by a condition on each.
ONE, BY_KEY, BY_MATCH = range(3)
# The program of a condition that is not there.
NO_PROGRAM = -1
_CLASS_WORDS, _NODE_WORDS = len(CLASS), len(NODE)


@inlined
def class_row(tree: Any, cls: Any) -> Any:
    """Where the row of a class begins."""
    return tree[TREE.classes] + cls * _CLASS_WORDS


@inlined
def node_row(tree: Any, node: Any) -> Any:
    """Where the row of a node begins."""
    return tree[TREE.nodes] + node * _NODE_WORDS


@inlined
def node_number(tree: Any, row: Any) -> Any:
    """The node whose row begins here."""
    return (row - tree[TREE.nodes]) // _NODE_WORDS


@inlined
def children_at(tree: Any, parent: Any, cls: Any) -> Any:
    """Where the record of a parent says which is its first child of a class; the next word is the last child."""
    return parent + tree[class_row(tree, cls) + CLASS.children]


@compiled
def is_nan(bits: Any) -> Any:
    """Whether the bits of a double are no number."""
    return (bits & _ALL_BUT_SIGN) > _INFINITE


@compiled
def is_null(bits: Any, is_double: Any) -> Any:
    """Whether a word is null."""
    if is_double:
        return (bits & _ALL_BUT_SIGN) > _INFINITE
    return bits == NULL


def null_of(kind: str) -> int:
    """The word for null."""
    return NAN if kind == DOUBLE else NULL
