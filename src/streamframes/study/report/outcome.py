"""Outcomes: what a study found, for reading, drawing and keeping."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from matplotlib.figure import Figure

# What stands under a heading depends on the heading: text, a number, an instant, or None.
Cell: TypeAlias = Any
Row: TypeAlias = dict[str, Cell]


@dataclass(frozen=True)
class Table:
    """Numbers under headings; `name` is that of its file."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]

    def column(self, name: str) -> list[Cell]:
        """The values under one heading."""
        place = list(self.columns).index(name)
        return [row[place] for row in self.rows]

    def where(self, **values: Cell) -> list[Row]:
        """The rows that have these values, each as a mapping from heading to value."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return [row for row in rows if all(row[name] == value for name, value in values.items())]


@dataclass(frozen=True)
class Picture:
    """Something to look at, drawn when it is asked for; `name` is that of its files."""

    name: str
    caption: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Claim:
    """What a paper says, the figure that was found here, and whether it bears the paper out.

    `holds` is None where the data cannot decide.
    """

    says: str
    figure: str
    holds: bool | None

    @property
    def verdict(self) -> str:
        """In words."""
        return "undecided" if self.holds is None else "holds" if self.holds else "does not hold"


@dataclass(frozen=True)
class Outcome:
    """What a study found, of which data, and how it was set."""

    data: str
    tables: Sequence[Table]
    pictures: Sequence[Picture]
    claims: Sequence[Claim]
    settings: Mapping[str, object] = field(default_factory=dict)
    notes: Sequence[str] = ()

    def table(self, name: str) -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)


def span(values: Sequence[float]) -> str:
    """The least and the largest of some figures, in words.

    >>> span([0.5, 0.05, 0.25])
    '0.05 to 0.50'
    """
    return f"{min(values):.2f} to {max(values):.2f}"
