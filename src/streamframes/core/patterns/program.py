"""Programs: a pattern as steps, each of which takes one row of a variable, and what may follow each step.

  A (B | C)* D      steps 0:A 1:B 2:C 3:D      after 0: 1 2 3    after 1: 1 2 3    after 3: ACCEPT

What follows stands in the order of preference: what comes first is taken if the pattern can be completed from there.
Everything that takes no row - groups, choices, repeats, anchors - is resolved here, once, into these lists.
"""

from __future__ import annotations

from collections.abc import Sequence as Listed
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np

from streamframes.core.patterns.language.pattern import (
    Anchor,
    Choice,
    Exclusion,
    Pattern,
    Permutation,
    Repeat,
    Sequence,
    Variable,
)
from streamframes.errors import InvalidArgument

ACCEPT = -1
MOST_STEPS = 10_000
MOST_FOLLOWERS = 4_000_000

# Instructions: a step (variable, excluded), a split (preferred, other), a jump, the two anchors, the end.
_STEP, _SPLIT, _JUMP, _AT_START, _AT_END, _DONE = range(6)


class Program(NamedTuple):
    """Steps as arrays; `follow[after[p]:after[p + 1]]` are the steps after step p, in the order of preference.

    `ends` says whether a match is complete after a step that took the last row of the group (1), and whether it is
    complete only there (2); `begins` are the first steps, `begins_first` those at the first row of a group.
    """

    variable: np.ndarray
    excluded: np.ndarray
    after: np.ndarray
    follow: np.ndarray
    ends: np.ndarray
    begins: np.ndarray
    begins_first: np.ndarray


@dataclass
class _Writer:
    """Writes instructions; `numbers` are those of variables, by lower-case name."""

    numbers: dict[str, int]
    code: list[tuple[int, int, int]]
    excluding: int = 0
    n_steps: int = 0

    def write(self, pattern: Pattern) -> None:
        if isinstance(pattern, Variable):
            self.n_steps += 1
            if self.n_steps > MOST_STEPS:
                raise InvalidArgument(
                    f"pattern= has more than {MOST_STEPS:,} steps once PERMUTE and repeats are written out; "
                    "use smaller numbers, or + with a condition on count(A.*)"
                )
            self.code.append((_STEP, self.numbers[pattern.name.lower()], int(self.excluding > 0)))
        elif isinstance(pattern, Anchor):
            self.code.append((_AT_START if pattern.sign == "^" else _AT_END, 0, 0))
        elif isinstance(pattern, Sequence):
            for part in pattern.parts:
                self.write(part)
        elif isinstance(pattern, Choice):
            self._choice([(part,) for part in pattern.parts])
        elif isinstance(pattern, Permutation):
            if len(pattern.parts) > 7:
                raise InvalidArgument(f"PERMUTE got {len(pattern.parts)} parts; at most 7 can be permuted")
            self._choice(list(permutations(pattern.parts)))
        elif isinstance(pattern, Exclusion):
            self.excluding += 1
            self.write(pattern.part)
            self.excluding -= 1
        else:
            self._repeat(pattern)

    def _choice(self, parts: Listed[tuple[Pattern, ...]]) -> None:
        jumps = []
        for part in parts[:-1]:
            split = self._room()
            for each in part:
                self.write(each)
            jumps.append(self._room())
            self.code[split] = (_SPLIT, split + 1, len(self.code))
        for each in parts[-1]:
            self.write(each)
        for jump in jumps:
            self.code[jump] = (_JUMP, len(self.code), 0)

    def _repeat(self, repeat: Repeat) -> None:
        if repeat.most is not None:
            for _ in range(repeat.least):
                self.write(repeat.part)
            splits = []
            for _ in range(repeat.least, repeat.most):
                splits.append(self._room())
                self.write(repeat.part)
            for split in splits:
                self.code[split] = self._split(split + 1, len(self.code), repeat.greedy)
            return
        skip = self._room() if repeat.least == 0 else None
        start = len(self.code)
        for _ in range(max(1, repeat.least)):
            start = len(self.code)
            self.write(repeat.part)
        self.code.append(self._split(start, len(self.code) + 1, repeat.greedy))
        if skip is not None:
            self.code[skip] = self._split(skip + 1, len(self.code), repeat.greedy)

    def _split(self, into: int, past: int, greedy: bool) -> tuple[int, int, int]:
        return (_SPLIT, into, past) if greedy else (_SPLIT, past, into)

    def _room(self) -> int:
        self.code.append((_JUMP, 0, 0))
        return len(self.code) - 1


def program_of(pattern: Pattern, names: Listed[str]) -> Program:
    """The program of a pattern over variables, which have the numbers of `names`."""
    writer = _Writer({name.lower(): number for number, name in enumerate(names)}, [])
    writer.write(pattern)
    code = [*writer.code, (_DONE, 0, 0)]
    places = [at for at, (kind, _, _) in enumerate(code) if kind == _STEP]
    step_at = {at: step for step, at in enumerate(places)}
    after, follow, ends = [0], [], []
    for at in places:
        follow += (reached := _reached(code, step_at, at + 1))
        after.append(len(follow))
        is_end = ACCEPT in _reached(code, step_at, at + 1, at_end=True)
        ends.append(0 if not is_end else 1 if ACCEPT in reached else 2)
        if len(follow) > MOST_FOLLOWERS:
            raise InvalidArgument("pattern= has too many ways through its optional parts; use smaller numbers")
    return Program(
        np.array([code[at][1] for at in places], np.int64),
        np.array([code[at][2] for at in places], np.bool_),
        np.array(after, np.int64),
        np.array(follow, np.int64),
        np.array(ends, np.int64),
        np.array(_reached(code, step_at, 0), np.int64),
        np.array(_reached(code, step_at, 0, at_start=True), np.int64),
    )


def _reached(
    code: Listed[tuple[int, int, int]],
    step_at: dict[int, int],
    start: int,
    *,
    at_start: bool = False,
    at_end: bool = False,
) -> list[int]:
    """The steps that are reached from a place without taking a row, preferred ones first, up to ACCEPT.

    A place that is reached again is on a less preferred path: an empty round of a loop ends there.
    """
    found, seen, stack = [], set(), [start]
    while stack:
        at = stack.pop()
        if at in seen:
            continue
        seen.add(at)
        kind, one, other = code[at]
        if kind == _STEP:
            found.append(step_at[at])
        elif kind == _DONE:
            return [*found, ACCEPT]
        elif kind == _SPLIT:
            stack += [other, one]
        elif kind == _JUMP:
            stack.append(one)
        elif (kind == _AT_START and at_start) or (kind == _AT_END and at_end):
            stack.append(at + 1)
    return found
