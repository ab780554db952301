"""Bytecode: terms as programs of words, so that one compiled interpreter serves every tree.

An instruction is three words: the operation and two operands. A reference to a program is its place in the tree;
as most conditions are a single column of the event, such a reference is that column instead: -2 - column.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from streamframes.core.sessions.kernels.fields import NO_PROGRAM, null_of
from streamframes.core.sessions.kernels.operations import (
    CALL,
    CONST,
    DURATION,
    END,
    EVENT,
    LAST,
    NODE_VALUE,
    OPERATIONS,
    ROWS,
    START,
)
from streamframes.core.sessions.language.nodes import COMPUTED, Class, Node, path_of
from streamframes.core.sessions.language.terms import DOUBLE, TEXT, BuiltIn, Call, Const, Event, Op, Term, Value
from streamframes.core.sessions.string_ids import StringIds

_BUILT_IN = {"rows": ROWS, "duration": DURATION, "start": START, "end": LAST}


class Programs:
    """Writes programs behind the words that are there."""

    def __init__(
        self, words: list[int], classes: Sequence[Class], nodes: Sequence[Node], strings: StringIds | None
    ) -> None:
        self.classes = classes
        self.nodes = nodes
        self.strings = strings
        self.words = words
        self.deepest = 0

    def reference(self, term: Term | None, cls: int) -> int:
        """A term, seen from a session of a class (-1: from none), as a reference."""
        if term is None:
            return NO_PROGRAM
        if isinstance(term, Event):
            return -2 - term.column
        start = len(self.words)
        self._write(term, cls, 1)
        self.words += [END, int(term.type == DOUBLE), 0]
        return start

    def _write(self, term: Term, cls: int, depth: int) -> None:
        self.deepest = max(self.deepest, depth)
        if isinstance(term, Const):
            self.words += [CONST, self._constant(term), 0]
        elif isinstance(term, Event):
            self.words += [EVENT, term.column, int(term.type == DOUBLE)]
        elif isinstance(term, Value):
            node = self.nodes[term.node]
            if node.function == COMPUTED and node.argument is not None:
                self._write(node.argument, cls, depth)
            else:
                self.words += [NODE_VALUE, self._levels_up(cls, node.cls), term.node]
        elif isinstance(term, BuiltIn):
            self.words += [_BUILT_IN[term.what], self._levels_up(cls, term.cls), 0]
        else:
            for i, arg in enumerate(term.args):
                self._write(arg, cls, depth + i)
            self.words += self._operation(term)

    def _operation(self, term: Op | Call) -> list[int]:
        if isinstance(term, Call):
            return [CALL, term.function, len(term.args)]
        kind = int(term.args[0].type == DOUBLE)
        return [OPERATIONS.index(term.name), len(term.args), kind]

    def _constant(self, term: Const) -> int:
        if term.value is None:
            return null_of(term.type)
        if term.type == TEXT and self.strings is not None:
            return self.strings.id_of(str(term.value))
        if term.type == DOUBLE:
            return int(np.float64(term.value).view(np.int64))
        return int(term.value)

    def _levels_up(self, cls: int, wanted: int) -> int:
        return path_of(self.classes, cls).index(wanted)
