"""Trees: classes of sessions as a file of TOML or JSON says them.

name = "System"

[[parts]]                       a class inside
name = "Call"
key = "channel"
opens = "event_type = 102"
closes = "event_type = 104"

[[parts.parts]]                 a class inside that
name = "ATT"
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path

from streamframes.core.sessions.tree import Session, checked_forest
from streamframes.errors import InvalidArgument, StreamFramesError

# One file of rows has no other sources.
FIELDS = tuple(field.name for field in fields(Session) if field.name != "source")
_TEXTS = ("name", "matches", "opens", "closes")
_RULES = ("attributes", "on_open", "on_close")
_READERS: dict[str, Callable[[str], object]] = {".toml": tomllib.loads, ".json": json.loads}


def tree_of(path: Path) -> tuple[Session, ...]:
    """The roots that a file says: one table, or `parts` without a name for several."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise InvalidArgument(f"--tree {str(path)!r} does not end in one of {', '.join(_READERS)}")
    try:
        content = reader(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise StreamFramesError(f"cannot read {path}: no such file") from None
    except ValueError as error:
        raise InvalidArgument(f"--tree {path} is not {path.suffix[1:].upper()}: {error}") from error
    roots = content["parts"] if isinstance(content, dict) and set(content) == {"parts"} else content
    try:
        return checked_forest([_session(each, "the root") for each in (roots if isinstance(roots, list) else [roots])])
    except InvalidArgument as error:
        raise InvalidArgument(f"--tree {path}: {error}") from error


def _session(table: object, where: str) -> Session:
    if not isinstance(table, dict):
        raise InvalidArgument(f"{where} is {table!r}; write a table with {', '.join(FIELDS)}")
    name = table.get("name")
    if name is None:
        raise InvalidArgument(f'{where} has no name; write one, like name = "Call"')
    for field, value in table.items():
        _check(name, field, value)
    parts = [_session(part, f"a part of {name!r}") for part in table.get("parts", ())]
    return Session(**{**table, "parts": parts})


def _check(name: str, field: str, value: object) -> None:
    """Refuse what no session has, and what is of another type than it should be."""
    if field not in FIELDS:
        raise InvalidArgument(f"{name!r} has {field!r}; the fields of a session are {', '.join(FIELDS)}")
    if field in _TEXTS and not isinstance(value, str):
        raise InvalidArgument(f"{name!r} has {field} = {value!r}; write text in quotes")
    if field == "parts" and not isinstance(value, list):
        raise InvalidArgument(f"{name!r} has parts that are no list; head each with [[parts]]")
    rules = value.items() if field in _RULES and isinstance(value, dict) else ()
    for attribute, rule in rules:
        if not isinstance(rule, str):
            raise InvalidArgument(f"{name!r} has {field}.{attribute} = {rule!r}; write text in quotes")


def classes_of(text: str | None, roots: Sequence[Session]) -> list[str]:
    """The classes that are named, as the tree spells them; none are all.

    >>> classes_of("att, Call", [Session("Call", parts=[Session("ATT")])])
    ['ATT', 'Call']
    """
    known = {each.name.lower(): each.name for root in roots for each in root.walk()}
    wanted = [] if text is None else [name.strip() for name in text.split(",")]
    for name in wanted:
        if name.lower() not in known:
            raise InvalidArgument(f"--classes names {name!r}; the classes are {', '.join(known.values())}")
    return [known[name.lower()] for name in wanted]
