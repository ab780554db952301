"""The conditions of a pattern over what was matched, as arrays that the kernels read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from streamframes.core.patterns.kernels.history import (
    ACCUMULATED,
    AT_ROW,
    AT_VARIABLE,
    AVERAGE,
    COUNT,
    COUNTED,
    FIRST_ROW,
    FIRST_VARIABLE,
    LAST_ROW,
    LAST_VARIABLE,
    MAX,
    MIN,
    NUMBER,
    SUM,
    History,
)
from streamframes.core.patterns.language.columns import reads
from streamframes.core.patterns.language.leaves import CLASSIFIER, Aggregate, Leaf, Navigation
from streamframes.core.patterns.plan import PatternSpec
from streamframes.core.patterns.program import ACCEPT, Program
from streamframes.core.sessions.kernels.operations import CONST, END, EVENT, NODE_VALUE, OPERATIONS
from streamframes.core.sessions.language.terms import DOUBLE, TEXT, Const, Event, Op, Term, Value, subterms
from streamframes.core.sessions.string_ids import StringIds

_ACCUMULATORS = {"count": COUNT, "sum": SUM, "avg": SUM, "min": MIN, "max": MAX}


def strings_of(plan: PatternSpec) -> StringIds:
    """The strings that a plan names, by id: its variables, then its literals."""
    terms = [part for each in plan.definitions if each.history is not None for part in subterms(each.history)]
    literals = [str(part.value) for part in terms if isinstance(part, Const) and part.type == TEXT]
    return StringIds([*plan.names, *(each for each in literals if each is not None)])


class _Registers:
    """Registers in groups; a group that is there is used again."""

    def __init__(self) -> None:
        self.groups: dict[tuple[int, ...], int] = {}
        self.begin: list[int] = []

    def group(self, kind: int, mask: int, input_: int, size: int, offset: int, is_double: bool) -> int:
        """The first register of a group."""
        key = (kind, mask, input_, size, offset, int(is_double))
        if key not in self.groups:
            self.groups[key] = len(self.begin)
            self.begin += [0, -1] if kind <= FIRST_VARIABLE else [-1 if kind <= LAST_VARIABLE else 0] * size
        return self.groups[key]

    def rows(self) -> np.ndarray:
        """All groups as the kernel reads them."""
        found = [
            [kind, mask, input_, at, size, offset, double]
            for (kind, mask, input_, size, offset, double), at in self.groups.items()
        ]
        return np.array(found, np.int64).reshape(-1, 7)


def history_of(plan: PatternSpec) -> History:
    """What paths remember, and the programs of conditions."""
    strings, registers = strings_of(plan), _Registers()
    doubles = {
        part.column for each in plan.definitions if each.history for part in subterms(each.history)
        if isinstance(part, Event) and part.type == DOUBLE
    }  # fmt: skip
    kinds = {
        part.node: part.type for each in plan.definitions if each.history for part in subterms(each.history)
        if isinstance(part, Value)
    }  # fmt: skip
    leaves = []
    spans: list[range] = []
    for number, (leaf, input_) in enumerate(zip(plan.leaves, plan.leaf_inputs, strict=True)):
        is_double = input_ in doubles or kinds.get(number) == DOUBLE
        row, span = _encoded(leaf, input_, is_double and not _is_average(leaf, input_, plan), registers)
        leaves.append(row)
        spans.append(span)
    code, program = _programs(plan, strings)
    width = len(registers.begin)
    return History(
        np.array(code, np.int64),
        np.array(program, np.int64),
        registers.rows(),
        np.array(leaves, np.int64).reshape(-1, 5),
        _live(plan, plan.program, spans, width),
        np.array(registers.begin, np.int64),
    )


def _is_average(leaf: Leaf, input_: int, plan: PatternSpec) -> bool:
    """Whether a leaf is an average of whole numbers, whose value is a double but not what is added up."""
    if not isinstance(leaf, Aggregate) or leaf.function != "avg":
        return False
    return bool(not pa.types.is_floating(plan.columns[plan.n_ties + plan.inputs[input_].column]))


def _encoded(leaf: Leaf, input_: int, is_double: bool, registers: _Registers) -> tuple[list[int], range]:
    """A leaf as a row of numbers, and the registers that it depends on."""
    if isinstance(leaf, Navigation):
        named = leaf.what == CLASSIFIER
        if leaf.is_first:
            at = registers.group(FIRST_VARIABLE if named else FIRST_ROW, leaf.mask, -1, 2, leaf.offset, False)
            place, span = at + 1, range(at, at + 2)
        else:
            size = leaf.offset + 1
            at = registers.group(LAST_VARIABLE if named else LAST_ROW, leaf.mask, -1, size, 0, False)
            place, span = at + leaf.offset, range(at, at + size)
        return [AT_VARIABLE if named else AT_ROW, place, input_, leaf.shift, 0], span
    if not isinstance(leaf, Aggregate):
        return [NUMBER, 0, -1, 0, 0], range(0)
    kind = _ACCUMULATORS[leaf.function]
    if kind == COUNT:
        at = registers.group(COUNT, leaf.mask, input_, 1, 0, False)
        return [COUNTED, at, -1, 0, 0], range(at, at + 1)
    at = registers.group(kind, leaf.mask, input_, 2, 0, is_double)
    return [AVERAGE if leaf.function == "avg" else ACCUMULATED, at, input_, 0, int(is_double)], range(at, at + 2)


def _programs(plan: PatternSpec, strings: StringIds) -> tuple[list[int], list[int]]:
    """The words of all conditions, and where that of each variable begins, or -1."""
    words: list[int] = []
    starts = []
    for each in plan.definitions:
        starts.append(-1 if each.history is None else len(words))
        if each.history is not None:
            _write(each.history, words, strings)
            words += [END, 0, 0]
    return words, starts


def _write(term: Term, words: list[int], strings: StringIds) -> None:
    if isinstance(term, Const):
        words += [CONST, _constant(term, strings), int(term.value is None)]
    elif isinstance(term, Event):
        words += [EVENT, term.column, 0]
    elif isinstance(term, Value):
        words += [NODE_VALUE, term.node, 0]
    elif isinstance(term, Op):
        for arg in term.args:
            _write(arg, words, strings)
        words += [OPERATIONS.index(term.name), len(term.args), int(term.args[0].type == DOUBLE)]


def _constant(term: Const, strings: StringIds) -> int:
    if term.value is None:
        return 0
    if term.type == TEXT:
        return strings.id_of(str(term.value))
    return int(np.float64(term.value).view(np.int64)) if term.type == DOUBLE else int(term.value)


def _live(plan: PatternSpec, program: Program, spans: Sequence[range], width: int) -> np.ndarray:
    """Which registers each step, or a step that can come after it, may read."""
    n_steps = program.variable.size
    live = np.zeros((n_steps, width), np.bool_)
    if not width:
        return live
    for step, variable in enumerate(program.variable.tolist()):
        term = plan.definitions[variable].history
        for leaf in reads(term, Value) if term is not None else ():
            live[step, list(spans[leaf])] = True
    changed = True
    while changed:
        before = live.copy()
        for step in range(n_steps - 1, -1, -1):
            for other in program.follow[program.after[step] : program.after[step + 1]].tolist():
                if other != ACCEPT:
                    live[step] |= live[other]
        changed = bool((live != before).any())
    return live


def depth_of(plan: PatternSpec) -> int:
    """How deep the stack of any condition can get."""
    sizes = [sum(1 for _ in subterms(each.history)) for each in plan.definitions if each.history is not None]
    return max([1, *sizes]) + 1
