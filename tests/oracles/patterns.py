"""Row patterns by the book: all ways to match are tried one after the other, preferred ones first.

ISO/IEC 19075-5 in Python: a pattern is a list of ways to take rows, in the order of preference; a match is the first
way there is. Exponential, and too plain to be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import Any

from streamframes.core.patterns.language import pattern as p

Row = Mapping[str, Any]
# The rows taken so far: the place of each, its variable, and whether it is excluded.
Path = tuple[tuple[int, str, bool], ...]


@dataclass(frozen=True)
class View:
    """What a condition or a measure sees: all rows of the group, a path, the row it stands at, the match's number."""

    rows: Sequence[Row]
    path: Path
    at: int | None
    number: int

    def places(self, names: Sequence[str] | None, final: bool = False) -> list[int]:
        """The rows of some variables (None: of all), up to where the view stands, or to the end."""
        return [
            row
            for row, name, _ in self.path
            if (names is None or name in names) and (final or (self.at is not None and row <= self.at))
        ]

    def nav(
        self,
        names: Sequence[str] | None,
        column: str,
        *,
        first: bool = False,
        offset: int = 0,
        shift: int = 0,
        final: bool = False,
    ) -> Any:
        """FIRST or LAST with an offset, then PREV or NEXT."""
        places = self.places(names, final)
        if offset >= len(places):
            return None
        place = (places[offset] if first else places[-1 - offset]) + shift
        return self.rows[place][column] if 0 <= place < len(self.rows) else None

    def classifier(
        self, names: Sequence[str] | None = None, offset: int = 0, *, first: bool = False, final: bool = False
    ) -> str | None:
        """The variable of a row."""
        places = self.places(names, final)
        if offset >= len(places):
            return None
        wanted = places[offset] if first else places[-1 - offset]
        return next(name for row, name, _ in self.path if row == wanted)

    def values(self, names: Sequence[str] | None, column: str, final: bool = False) -> list[Any]:
        """What an aggregate adds up."""
        found = [self.rows[place][column] for place in self.places(names, final)]
        return [value for value in found if value is not None]


Condition = Callable[[View], bool | None]


@dataclass(frozen=True)
class Match:
    """A match: the row where it was sought, the rows it took, its number (None: no match), why it ended."""

    start: int
    path: Path
    number: int | None
    kind: str


@dataclass(frozen=True)
class Sought:
    """A pattern over the rows of one group."""

    pattern: p.Pattern
    define: Mapping[str, Condition]
    rows: Sequence[Row]
    skip: str = "past last row"
    skip_to: Sequence[str] = ()
    within: int | None = None

    def matches(self) -> Iterator[Match]:
        """All matches in order, and the rows in none."""
        start, number, matched = 0, 0, 0
        while start < len(self.rows):
            path = next(self.ways(self.pattern, start, start, (), number + 1), None)
            if path is None:
                if start >= matched:
                    yield Match(start, (), None, "unmatched")
                start += 1
                continue
            number += 1
            yield Match(start, path, number, "match" if path else "empty")
            if path:
                matched = max(matched, path[-1][0] + 1)
            start = self.after(start, path)

    def after(self, start: int, path: Path) -> int:
        """Where the next match may begin."""
        if not path or self.skip == "to next row":
            return start + 1
        if self.skip == "past last row":
            return path[-1][0] + 1
        rows = [row for row, name, _ in path if name in self.skip_to]
        if not rows:
            raise LookupError("no row to skip to")
        to = rows[0] if self.skip == "to first" else rows[-1]
        if to == start:
            raise LookupError("skips to the first row")
        return to

    def ways(
        self, part: p.Pattern, at: int, start: int, path: Path, number: int, excluded: bool = False
    ) -> Iterator[Path]:
        """The paths that go on over a part of the pattern, preferred ones first."""
        if isinstance(part, p.Variable):
            if at < len(self.rows) and self.in_time(start, at):
                taken = (*path, (at, part.name, excluded))
                if self.define.get(part.name, lambda view: True)(View(self.rows, taken, at, number)):
                    yield taken
        elif isinstance(part, p.Anchor):
            if at == (0 if part.sign == "^" else len(self.rows)):
                yield path
        elif isinstance(part, p.Sequence):
            yield from self.sequence(part.parts, start, path, number, excluded)
        elif isinstance(part, p.Choice):
            for each in part.parts:
                yield from self.ways(each, at, start, path, number, excluded)
        elif isinstance(part, p.Permutation):
            for order in permutations(part.parts):
                yield from self.sequence(order, start, path, number, excluded)
        elif isinstance(part, p.Exclusion):
            yield from self.ways(part.part, at, start, path, number, True)
        else:
            yield from self.repeats(part, 0, start, path, number, excluded)

    def in_time(self, start: int, at: int) -> bool:
        """Whether a row is not too long after the first."""
        return self.within is None or self.rows[at]["ts"] <= self.rows[start]["ts"] + self.within

    def sequence(
        self, parts: Sequence[p.Pattern], start: int, path: Path, number: int, excluded: bool
    ) -> Iterator[Path]:
        """One part after the other."""
        if not parts:
            yield path
            return
        for taken in self.ways(parts[0], start + len(path), start, path, number, excluded):
            yield from self.sequence(parts[1:], start, taken, number, excluded)

    def repeats(self, part: p.Repeat, done: int, start: int, path: Path, number: int, excluded: bool) -> Iterator[Path]:
        """A part again and again; a round of an endless loop that takes no row is its last."""
        more = part.most is None or done < part.most

        def another() -> Iterator[Path]:
            for taken in self.ways(part.part, start + len(path), start, path, number, excluded):
                if part.most is None and done >= part.least and taken == path:
                    yield path
                    continue
                yield from self.repeats(part, done + 1, start, taken, number, excluded)

        if done < part.least:
            yield from another()
        elif part.greedy:
            if more:
                yield from another()
            yield path
        else:
            yield path
            if more:
                yield from another()
