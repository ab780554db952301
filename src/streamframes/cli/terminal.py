"""Terminal: results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import wraps
from typing import TYPE_CHECKING

import typer

from streamframes.errors import InvalidArgument, MissingExtra, StreamFramesError

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

# A pipe has no edge at which to wrap a table.
_ENDLESS = 10_000


def reporting(command: Callable[..., None]) -> Callable[..., None]:
    """Turn errors into one line on stderr and an exit status: 2 for a bad argument or a missing package, else 1."""

    @wraps(command)
    def reported(**values: object) -> None:
        try:
            command(**values)
        except StreamFramesError as error:
            _complain(str(error))
            raise typer.Exit(2 if isinstance(error, InvalidArgument | MissingExtra) else 1) from None
        except BrokenPipeError:
            raise  # The reader has seen enough; Typer ends quietly.
        except OSError as error:
            _complain(f"{error.filename or 'a file'}: {error.strerror or error}")
            raise typer.Exit(1) from None

    return reported


def _complain(text: str) -> None:
    typer.echo(f"streamframes: {' '.join(text.split())}", err=True)


def say(text: str) -> None:
    """Print a line, with markup, without wrapping it."""
    _console(err=False).print(text, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """Print a remark on stderr."""
    _console(err=True).print(text, highlight=False, soft_wrap=True, style="dim")


@contextmanager
def waiting(text: str) -> Iterator[None]:
    """Show a spinner on a terminal while something without tasks goes on."""
    from rich.console import Console

    if not sys.stderr.isatty():
        yield
        return
    # On a descriptor of its own, since the usual one is turned away while Spark starts.
    with open(os.dup(sys.stderr.fileno()), "w") as own, Console(file=own).status(text):  # noqa: PTH123
        yield


@contextmanager
def counting(text: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar of tasks done on a terminal; call the value with `(done, total)`."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = _console(err=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("tasks"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(text, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)


@contextmanager
def redrawing() -> Iterator[Callable[..., None] | None]:
    """A function that draws what it is given over what it drew before; None where nothing can be drawn over."""
    from rich.console import Group
    from rich.live import Live

    console = _console(err=False)
    if not sys.stdout.isatty() or console.is_dumb_terminal:
        yield None
        return
    with Live(console=console) as live:
        yield lambda *parts: live.update(Group(*parts), refresh=True)


def show(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows as a table; what looks like markup in them is text."""
    from rich.markup import escape

    plain = [[escape(readable(cell)) if isinstance(cell, str | list) else cell for cell in row] for row in rows]
    _console(err=False).print(table_of(columns, plain))


def table_of(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Rows as a table; numbers to the right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for place, name in enumerate(columns):
        numbers = all(isinstance(row[place], int | float) or row[place] is None for row in rows)
        table.add_column(name, justify="right" if numbers and rows else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(readable, row))
    return table


def readable(value: object) -> str:
    """A value as a person writes it.

    >>> readable(0.1 + 0.2), readable(datetime(2026, 1, 5, 0, 20)), readable(None), readable([1, 2])
    ('0.3', '2026-01-05 00:20:00', '', '1, 2')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, datetime):
        return value.replace(tzinfo=None).isoformat(sep=" ")
    if isinstance(value, list):
        return ", ".join(map(readable, value))
    return str(value)


def _console(*, err: bool) -> Console:
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    return Console(stderr=err, width=None if stream.isatty() else _ENDLESS)
