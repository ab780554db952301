"""Checks of settings and arguments: each refuses what cannot be meant, and says what would work."""

from __future__ import annotations

from collections.abc import Sequence

from streamframes.errors import InvalidArgument


def check_positive_int(value: object, name: str, *, optional: bool = False) -> None:
    """Refuse what is not a whole number greater than zero."""
    if value is None and optional:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise InvalidArgument(f"{name}={value!r} must be a whole number greater than zero")


def check_positive(value: object, name: str) -> None:
    """Refuse what is not a finite number greater than zero."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < float("inf"):
        raise InvalidArgument(f"{name}={value!r} must be a finite number greater than zero")


def check_choice(value: object, name: str, choices: Sequence[str]) -> None:
    """Refuse what is not one of the choices."""
    if value not in choices:
        raise InvalidArgument(f"{name}={value!r} is unknown; it is one of {', '.join(choices)}")


def check_expression(value: object, name: str, example: str) -> None:
    """Refuse what is neither SQL text nor a Column."""
    if isinstance(value, str):
        if not value.strip():
            raise InvalidArgument(f"{name}={value!r} is empty; write a Spark SQL expression like {example!r}")
    elif value is None or isinstance(value, int | float | list | tuple | dict | set):
        raise InvalidArgument(f"{name}={value!r} is not an expression; give Spark SQL like {example!r} or a Column")
