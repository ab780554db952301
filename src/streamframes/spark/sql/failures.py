"""Failures: what a verb or Spark says of a part of a query, with the line and column of the user's text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from sqlglot import TokenType

from streamframes.core.sqltext.arguments import Call
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.rewriting import Rewritten
from streamframes.core.sqltext.source import Source
from streamframes.errors import InvalidArgument
from streamframes.spark.failures import reason, unlogged

_NAMED = re.compile(r"\b(\w+)=")
_MISSING_TABLE = re.compile(r"TABLE_OR_VIEW_NOT_FOUND\] The table or view (\S+) cannot be found")
_MISSING_FUNCTION = re.compile(r"UNRESOLVABLE_TABLE_VALUED_FUNCTION\] Could not resolve (\S+)")
_PLACED = "sql() line "


@contextmanager
def placed(source: Source, call: Call) -> Iterator[None]:
    """Give what a verb refuses the place of the argument that it names, or of the call."""
    try:
        yield
    except InvalidArgument as error:
        if str(error).startswith(_PLACED):
            raise
        raise source.error(_place_of(source, call, str(error)), str(error)) from error
    except PySparkException as error:
        raise source.error_at(call.span, f"{call.name}(): {reason(error)}") from error


def _place_of(source: Source, call: Call, message: str) -> int:
    known = _places(call)
    names = [name for name in _NAMED.findall(message) if name in known]
    return known[names[0]] if names else source.start(call.span.first)


def _places(call: Call) -> dict[str, int]:
    """Where each argument of a call is written, and each of the options in it."""
    found: dict[str, int] = {}
    for value in call.named.values():
        if isinstance(value, Call):
            found |= _places(value)
    return found | call.places


@contextmanager
def located(spark: SparkSession, rewritten: Rewritten) -> Iterator[None]:
    """Give what Spark refuses of a query its place in the user's text, and names that are near."""
    try:
        with unlogged():
            yield
    except PySparkException as error:
        text = str(error)
        if "UNRESOLVED_ROUTINE" in text and (stranger := _stranger(rewritten.source)) is not None:
            raise stranger from error
        why = f"{reason(error).rstrip('.')}{_hint(spark, text)}"
        at = rewritten.place_in(text)
        if at is None:
            raise InvalidArgument(f"sql(): {why}") from error
        raise rewritten.source.error(at, why) from error


def _stranger(source: Source) -> InvalidArgument | None:
    """The error that a function in FROM has nearly the name of one of ours; None where there is no such one."""
    for i in range(1, len(source.tokens) - 1):
        name = source.word(i).lower()
        if source.word(i - 1) not in ("FROM", "JOIN") or name in FUNCTIONS or not source.is_(i + 1, TokenType.L_PAREN):
            continue
        near = get_close_matches(name, FUNCTIONS, 1, 0.6)
        if near:
            return source.error(source.start(i), f"there is no function {name}(); did you mean {near[0]!r}?")
    return None


def _hint(spark: SparkSession, text: str) -> str:
    """The nearest name of a table or function that Spark did not find."""
    for pattern, known in ((_MISSING_FUNCTION, list), (_MISSING_TABLE, lambda names: _tables(spark))):
        found = pattern.search(text)
        if found is None:
            continue
        name = found[1].replace("`", "").rpartition(".")[2]
        near = get_close_matches(name.lower(), known(FUNCTIONS), 1, 0.6)
        return f"; did you mean {near[0]!r}?" if near else ""
    return ""


def _tables(spark: SparkSession) -> list[str]:
    """The tables of the current schema, and temporary views; none where a catalog does not say."""
    try:
        return [table.name for table in spark.catalog.listTables()]
    except PySparkException:
        return []
