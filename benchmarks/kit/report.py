"""Reports: a table, the targets, and where and with what it was measured; shown, and saved as JSON and Markdown."""

from __future__ import annotations

import json
import operator
import os
import platform
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import psutil
from rich.console import Console
from rich.table import Table

PACKAGES = ("streamframes", "pyspark", "pyarrow", "numpy", "numba", "pandas", "duckdb", "polars")
OPTIONAL_PACKAGES = ("chdb",)
_COMPARISONS = {"<=": operator.le, ">=": operator.ge, "<": operator.lt}


@dataclass(frozen=True)
class Target:
    """Something that was promised, and the figure that was measured."""

    promise: str
    comparison: Literal["<=", ">=", "<"]
    limit: float
    figure: float
    unit: str = "x"

    @property
    def is_met(self) -> bool:
        """Whether the figure keeps the promise."""
        return bool(_COMPARISONS[self.comparison](self.figure, self.limit))

    def cells(self) -> list[str]:
        """The promise, its limit, the figure and the verdict."""
        limit = f"{self.comparison} {self.limit:g} {self.unit}"
        return [self.promise, limit, f"{self.figure:.2f} {self.unit}", "met" if self.is_met else "not met"]


def this_machine() -> dict[str, Any]:
    """What the figures depend on most."""
    memory = psutil.virtual_memory().total / 2**30
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory, 1),
        "system": platform.system(),
    }


def _cpu_model() -> str:
    known = Path("/proc/cpuinfo")
    if known.exists():
        for line in known.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@dataclass(frozen=True)
class Report:
    """What a benchmark has to say; `cells` are for reading, `measurements` for programs."""

    name: str
    title: str
    header: Sequence[str]
    cells: Sequence[Sequence[str]]
    measurements: Sequence[Mapping[str, Any]]
    targets: Sequence[Target]
    settings: Mapping[str, Any]
    notes: Sequence[str] = ()
    java: str | None = None
    saved_as: str = ""
    machine: dict[str, Any] = field(default_factory=this_machine)
    date: str = field(default_factory=lambda: datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"))

    @property
    def command(self) -> str:
        """How to measure it again."""
        # Whose folders they were says nothing to others.
        given = [Path(each).name if Path(each).is_absolute() else each for each in sys.argv[1:]]
        return shlex.join(["python", "-m", f"benchmarks.{self.name}", *given])

    @property
    def versions(self) -> dict[str, str]:
        """Everything that takes part, with its version."""
        java = {"java": self.java} if self.java else {}
        there = [*PACKAGES, *(name for name in OPTIONAL_PACKAGES if find_spec(name))]
        return {"python": platform.python_version(), **java, **{name: version(name) for name in there}}


def open_console() -> Console:
    """A console that does not squeeze the tables where nobody says how wide it is."""
    console = Console()
    return console if console.is_terminal else Console(width=120)


def publish(report: Report, folder: Path, console: Console) -> None:
    """Print and save a report."""
    show(report, console)
    for path in save(report, folder):
        console.print(f"saved {os.path.relpath(path)}", highlight=False)


def show(report: Report, console: Console) -> None:
    """Print the tables."""
    for title, header, cells in (
        (report.title, report.header, report.cells),
        ("Targets", _TARGET_HEADER, [target.cells() for target in report.targets]),
    ):
        if not cells:
            continue
        table = Table(title=title, title_justify="left")
        for name in header:
            table.add_column(name, justify="right" if name in _numeric(header, cells) else "left")
        for row in cells:
            table.add_row(*row, style="red" if row[-1] == "not met" else None)
        console.print(table)
    for note in report.notes:
        console.print(note, highlight=False)


_TARGET_HEADER = ("target", "limit", "measured", "verdict")


def _numeric(header: Sequence[str], cells: Iterable[Sequence[str]]) -> set[str]:
    rows = list(cells)
    return {
        name for i, name in enumerate(header) if all(not row[i] or row[i][0].isdigit() or row[i] == "-" for row in rows)
    }


def save(report: Report, folder: Path) -> list[Path]:
    """Write `<name>.json` and `<name>.md`; returns where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    name = report.saved_as or report.name
    paths = [folder / f"{name}.json", folder / f"{name}.md"]
    paths[0].write_text(json.dumps(_as_data(report), indent=2) + "\n")
    paths[1].write_text(_as_markdown(report))
    return paths


def _as_data(report: Report) -> dict[str, Any]:
    return {
        "title": report.title,
        "command": report.command,
        "date": report.date,
        "machine": report.machine,
        "versions": report.versions,
        "settings": dict(report.settings),
        "measurements": [dict(each) for each in report.measurements],
        "targets": [{**asdict(target), "met": target.is_met} for target in report.targets],
        "notes": list(report.notes),
    }


def _as_markdown(report: Report) -> str:
    machine = report.machine
    facts = [
        f"`{report.command}`, {report.date}.",
        f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gib']} GiB memory, {machine['system']}.",
        ", ".join(f"{name} {number}" for name, number in report.versions.items()) + ".",
        ", ".join(f"{name} {_shown(value)}" for name, value in report.settings.items()) + ".",
    ]
    parts = [f"# {report.title}", "  \n".join(facts), markdown_table(report.header, report.cells), *report.notes]
    if report.targets:
        parts += ["## Targets", markdown_table(_TARGET_HEADER, [target.cells() for target in report.targets])]
    return "\n\n".join(parts) + "\n"


def _shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def markdown_table(header: Sequence[str], cells: Iterable[Sequence[str]]) -> str:
    """A table as Markdown, numbers to the right."""
    rows = [list(row) for row in cells]
    numeric = _numeric(header, rows)
    rule = ["---:" if name in numeric else "---" for name in header]
    return "\n".join("| " + " | ".join(row) + " |" for row in [list(header), rule, *rows])
