"""Layout: what each word of a record holds, by class.

  header | first and last child of each part class | neighbours in the lane | nodes | flags | measures | up to a line

Measures come and go while a stream runs. Each place has a key that says what it is for, so that its words are found
again in a new layout.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from streamframes.core.sessions.kernels.accumulators import BLANK, FOLDED, code_of
from streamframes.core.sessions.kernels.arrays import LINE, RECORD
from streamframes.core.sessions.kernels.fields import NAN, null_of
from streamframes.core.sessions.language.nodes import ON_OPEN, Class, Measure, Node
from streamframes.core.sessions.language.terms import Term, Value

HEADER = len(RECORD)


class Place(NamedTuple):
    """Words in the records of a class; those of a window are the list of its entries."""

    cls: int
    at: int
    size: int
    is_window: bool


class RecordLayout:
    """Gives each list of children, node, flag and measure its words in the records of its class."""

    def __init__(self, classes: Sequence[Class], nodes: Sequence[Node], measures: Sequence[Measure]) -> None:
        self.nodes = nodes
        self.blanks: list[list[int]] = [[] for _ in classes]
        self.places: dict[Hashable, Place] = {}
        self.children = [HEADER] * len(classes)
        self.lane_links = [0] * len(classes)
        for i, each in enumerate(classes):
            if each.parent >= 0:
                self.children[i] = self._room(each.parent, (0, 0))
            if each.timeout is not None:
                self.lane_links[i] = self._room(i, (0, 0))
        self.node_places = [
            self._place(("node", self._meaning_of_node(i)), node.cls, self._blank_node(node), node.is_windowed)
            for i, node in enumerate(nodes)
        ]
        self.passed_once = {
            i: self._place(("passed once", self._meaning_of_node(i)), nodes[node.source].cls, (0,))
            for i, node in enumerate(nodes)
            if node.source is not None and node.when == ON_OPEN
        }
        self.measure_states = [
            self._place(
                ("measure", each.name, each.when, self._meaning_of_node(each.node)), nodes[each.node].cls, (0, 0, 0)
            )
            for each in measures
        ]

    def width(self, cls: int) -> int:
        """The words of a record of a class, whole lines."""
        return -(-(HEADER + len(self.blanks[cls])) // LINE) * LINE

    def blank(self, cls: int) -> list[int]:
        """What the record of a class begins with, behind its header."""
        return self.blanks[cls] + [0] * (self.width(cls) - HEADER - len(self.blanks[cls]))

    def _room(self, cls: int, words: Sequence[int]) -> int:
        """Room in the record of a class that begins with these words; returns where."""
        at = HEADER + len(self.blanks[cls])
        self.blanks[cls] += words
        return at

    def _place(self, key: Hashable, cls: int, words: Sequence[int], is_window: bool = False) -> int:
        """Room in the records of a class that is found again by its key."""
        at = self._room(cls, words)
        while key in self.places:
            key = ("again", key)
        self.places[key] = Place(cls, at, len(words), is_window)
        return at

    def _blank_node(self, node: Node) -> tuple[int, ...]:
        if node.is_windowed:
            return (0, 0, 0)
        code = code_of(self.nodes, node)
        if code == FOLDED:
            return (NAN, *(int(np.float64(x).view(np.int64)) for x in node.start))
        return BLANK.get(code, (null_of(node.type),))

    def _meaning_of_node(self, number: int, within: tuple[int, ...] = ()) -> str:
        """What a node is, whatever its number and those of others: so it is found again when others come and go."""
        if number in within:
            return f"{len(within) - within.index(number)} above"
        node, path = self.nodes[number], (*within, number)
        source = "" if node.source is None else self._meaning_of_node(node.source, path)
        terms = [self._meaning_of_term(term, path) for term in (node.argument, node.where)]
        return repr((replace(node, source=None, argument=None, where=None), source, terms))

    def _meaning_of_term(self, term: Term | None, path: tuple[int, ...]) -> str:
        """A term with nodes spelled out; `path` are those that it is a part of."""
        if isinstance(term, Value):
            return self._meaning_of_node(term.node, path)
        args = [self._meaning_of_term(arg, path) for arg in getattr(term, "args", ())]
        return repr((type(term).__name__, args) if args else term)


def kept_words(old: dict[Hashable, Place], new: dict[Hashable, Place]) -> np.ndarray:
    """Which words are in both layouts: class, place before and after, how many, whether they are a window."""
    kept = [
        (place.cls, place.at, new[key].at, place.size, int(place.is_window)) for key, place in old.items() if key in new
    ]
    return np.array(kept, np.int64).reshape(-1, 5)
