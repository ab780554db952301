"""Grouped: commands that take dataclasses of options, which Typer sees as single options.

frames(source: SourceOptions, scheme: SchemeOptions)  ->  frames INPUT --ts --by ... --threshold --delta ...
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields
from functools import wraps
from typing import Any, ClassVar, Protocol, get_type_hints

from typer import Context


class Options(Protocol):
    """A dataclass of options."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one parameter for each field of the dataclasses that it takes."""
    hints = {name: kind for name, kind in get_type_hints(command).items() if name != "return"}
    # Typer's own context stays a parameter as it is.
    single = {name: kind for name, kind in hints.items() if kind is Context}
    groups = {name: kind for name, kind in hints.items() if name not in single}
    flat = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind) for name, kind in single.items()]
    flat += [parameter for group in groups.values() for parameter in _parameters(group)]

    @wraps(command)
    def flattened(**values: object) -> None:
        made = {
            name: group(**{field.name: values[field.name] for field in fields(group)}) for name, group in groups.items()
        }
        command(**{name: values[name] for name in single}, **made)

    flattened.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    flattened.__annotations__ = {parameter.name: parameter.annotation for parameter in flat}
    return flattened


def _parameters(group: type[Options]) -> list[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=_default(field), annotation=hints[field.name]
        )
        for field in fields(group)
    ]


def _default(field: Field[object]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return inspect.Parameter.empty if field.default is MISSING else field.default
