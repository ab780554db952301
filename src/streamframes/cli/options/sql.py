"""Options of `streamframes sql`: the text, the files that are its tables, and the values of its parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from streamframes.cli.options.common import Format, option
from streamframes.errors import InvalidArgument

_QUERY = "Query"


@dataclass(frozen=True)
class SqlOptions:
    """What to carry out, over which files."""

    file: Annotated[
        Path | None, typer.Argument(help="A file of statements of SQL.", metavar="[FILE]", show_default=False)
    ] = None
    text: Annotated[str | None, option(_QUERY, "The statements themselves.", "--execute", "-e", metavar="TEXT")] = None
    table: Annotated[
        list[str],
        option(_QUERY, "Files as a table, like 'reports=reports.csv' or 'r=data/*.parquet'; repeatable.",
               "--table", metavar="NAME=PATH"),
    ] = field(default_factory=list)  # fmt: skip
    table_format: Annotated[Format | None, option(_QUERY, "Format of tables, where their ending does not say it.")] = (
        None
    )
    param: Annotated[
        list[str],
        option(_QUERY, "The value of a parameter :name: a number, true, false, null, or a text; repeatable.",
               "--param", metavar="NAME=VALUE"),
    ] = field(default_factory=list)  # fmt: skip


def tables_of(texts: Sequence[str]) -> dict[str, str]:
    """The path of each table.

    >>> tables_of(["reports=data/*.csv"])
    {'reports': 'data/*.csv'}
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name.strip().isidentifier() or not path.strip():
            raise InvalidArgument(f"--table {text!r} is not NAME=PATH; write it like 'reports=reports.csv'")
        if name.strip() in found:
            raise InvalidArgument(f"--table names {name.strip()!r} twice; give each table once")
        found[name.strip()] = path.strip()
    return found


def parameters_of(texts: Sequence[str]) -> dict[str, object]:
    """The value of each parameter: what JSON has a word for, else a text.

    >>> parameters_of(["limit=0.3", "router=r7", "zip='0012'", "on=true"])
    {'limit': 0.3, 'router': 'r7', 'zip': "'0012'", 'on': True}
    """
    found: dict[str, object] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise InvalidArgument(f"--param {text!r} is not NAME=VALUE; write it like 'limit=0.3'")
        try:
            found[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            found[name.strip()] = value
    return found
