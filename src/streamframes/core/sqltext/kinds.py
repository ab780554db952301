"""Kinds: what an argument may be, how it is written in SQL, and which Python value a parameter may have in its place.

A text that a parameter brings is a value. It is never taken for SQL: where SQL is wanted, it becomes a literal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sqlglot import TokenType

from streamframes.core.sqltext.arguments import Argument, Rows, TableText, Value, is_plain
from streamframes.core.sqltext.literals import interval_in, number_in
from streamframes.core.sqltext.source import Span


@dataclass(frozen=True)
class Kind:
    """What an argument may be: `read` gives None where it is not, `accepts` says whether a Python value is."""

    wanted: str
    read: Callable[[Argument], Value | None]
    accepts: Callable[[object], bool]

    def value(self, argument: Argument) -> Value:
        """The value of an argument, or an error that says what would be one."""
        if argument.source.word(argument.span.first) == "NULL" and argument.size == 1:
            return None
        found = self.attempt(argument)
        if found is None:
            raise argument.wrong(self.wanted)
        return found

    def attempt(self, argument: Argument) -> Value | None:
        """The value of an argument; None where it is not of this kind."""
        name = argument.parameter()
        if name is None:
            return self.read(argument)
        value = argument.bound(name)
        return value if self.accepts(value) else None


def _no_python(value: object) -> bool:
    return False


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _name(argument: Argument) -> str | None:
    return argument.source.name(argument.span.first) if argument.size == 1 else None


def _text(argument: Argument) -> str | None:
    return argument.text()


def _number(argument: Argument) -> int | float | None:
    return number_in(argument.written)


def _boolean(argument: Argument) -> bool | None:
    return {"true": True, "false": False}.get(argument.written.lower())


def _duration(argument: Argument) -> int | float | str | None:
    first = argument.span.first
    if argument.source.word(first) == "INTERVAL":
        return interval_in(argument.source.plain(Span(first + 1, argument.span.last)))
    text = argument.text()
    return text if text is not None else number_in(argument.written)


def _instant(argument: Argument) -> int | float | str | None:
    source, first = argument.source, argument.span.first
    word = source.word(first)
    if argument.size == 2 and word in ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ", "TIMESTAMP_LTZ"):
        return Argument(source, Span(first + 1, first + 2), argument.name).text()
    text = argument.text()
    return text if text is not None else number_in(argument.written)


@dataclass(frozen=True)
class Expression(Kind):
    """Spark SQL, whatever it is; a Python value that is not plain, such as a Column or a Fold, is taken as it is."""

    def attempt(self, argument: Argument) -> Value | None:
        """The text, in which parameters are literals."""
        name = argument.parameter()
        if name is not None and not is_plain(argument.bound(name)):
            return argument.bound(name)
        return argument.expression() or None


def one_or_more(kind: Kind, example: str) -> Kind:
    """One, or several as `array(a, b)` or `(a, b)`."""

    def read(argument: Argument) -> Value | None:
        found = kind.attempt(argument)
        items = argument.items() if found is None else None
        return [kind.value(each) for each in items] if items is not None else found

    return Kind(
        f"{kind.wanted}, or several: {example}",
        read,
        lambda value: kind.accepts(value) or (isinstance(value, list | tuple) and all(map(kind.accepts, value))),
    )


def listed(kind: Kind, example: str) -> Kind:
    """Several, as `array(a, b)` or `(a, b)`."""

    def read(argument: Argument) -> Value | None:
        items = argument.items()
        return None if items is None else [kind.value(each) for each in items]

    return Kind(
        f"a list: {example}", read, lambda value: isinstance(value, list | tuple) and all(map(kind.accepts, value))
    )


def mapped(key: Kind, value: Kind, example: str) -> Kind:
    """Keys and values, as `map(key, value, ...)`."""

    def read(argument: Argument) -> Value | None:
        pairs = argument.pairs()
        if pairs is None:
            return None
        found: dict[object, Value] = {}
        for name, each in pairs:
            made = key.value(name)
            if made in found:
                raise name.error(f"{argument.name} => map(...) has {name.written} twice; leave one of them out")
            found[made] = value.value(each)
        return found

    def accepts(given: object) -> bool:
        return isinstance(given, Mapping) and all(key.accepts(a) and value.accepts(b) for a, b in given.items())

    return Kind(f"a mapping: {example}", read, accepts)


def either(*kinds: Kind) -> Kind:
    """The first of several kinds that fits."""

    def read(argument: Argument) -> Value | None:
        return next((found for kind in kinds if (found := kind.attempt(argument)) is not None), None)

    return Kind(", or ".join(each.wanted for each in kinds), read, lambda value: any(k.accepts(value) for k in kinds))


def _sequence(argument: Argument) -> Value | None:
    """`sequence(4, 400, 4)`, whose last number belongs to it, as in Spark."""
    call = argument.call()
    if call is None or call[0] != "sequence":
        return None
    parts = [Argument(argument.source, part, argument.name) for part in argument.source.split(call[1])]
    numbers = [NUMBER.value(part) for part in parts]
    if len(numbers) not in (2, 3) or not all(isinstance(number, int) for number in numbers):
        raise argument.wrong("sequence(first, last, step) of whole numbers")
    first, last, *steps = (int(str(number)) for number in numbers)
    step = steps[0] if steps else 1
    if step < 1 or (last - first) // step >= 1_000_000:
        raise argument.wrong("a sequence that rises, of at most a million numbers")
    return range(first, last + 1, step)


def _table(argument: Argument) -> Value | None:
    """`TABLE(name)`, `TABLE(SELECT ...)`, `TABLE name`, or a parameter in their place."""
    source, first = argument.source, argument.span.first
    if source.word(first) != "TABLE" or argument.size < 2:
        return None
    inside = Span(first + 1, argument.span.last)
    if source.is_(first + 1, TokenType.L_PAREN):
        inside = source.inside(first + 1)
        if inside.last != argument.span.last - 1:
            behind = Span(inside.last + 1, argument.span.last)
            raise source.error_at(
                behind,
                f"TABLE(...) is followed by {source.written(behind)!r}; say what orders and groups rows as arguments: "
                "ts => at, by => router",
            )
    if inside.first == inside.last:
        raise argument.error("TABLE() names no table; write TABLE(reports) or TABLE(SELECT ...)")
    inner = Argument(source, inside, argument.name)
    name = inner.parameter()
    return TableText(inside) if name is None else Rows(inner.bound(name), name, inside)


NAME = Kind("a name like router or `a b`", _name, _is_text)
TEXT = Kind("a text in quotes", _text, _is_text)
NUMBER = Kind("a number", _number, _is_number)
BOOLEAN = Kind("true or false", _boolean, lambda value: isinstance(value, bool))
DURATION = Kind(
    "a duration like INTERVAL 2 MINUTES, or a number where ts is one",
    _duration,
    lambda value: _is_text(value) or _is_number(value) or isinstance(value, timedelta),
)
INSTANT = Kind(
    "an instant like TIMESTAMP'2026-01-05 00:00:00', or a number where ts is one",
    _instant,
    lambda value: _is_text(value) or _is_number(value) or isinstance(value, date),
)
EXPRESSION = Expression("an expression", _text, _no_python)
TABLE = Kind("a table: TABLE(reports) or TABLE(SELECT ...)", _table, _no_python)
COLUMNS = one_or_more(NAME, "(router, port)")
GROUPS = either(COLUMNS, mapped(NAME, NAME, "map(router, device_id)"))
NUMBERS = one_or_more(NUMBER, "(0.5, 0.5)")
SEQUENCE = Kind("sequence(4, 400, 4)", _sequence, lambda value: isinstance(value, range))
# A Python value for which SQL has no words: it comes as a parameter.
PYTHON = Kind("a parameter like :mine", lambda argument: None, lambda value: value is not None)


def paired(kind: Kind, example: str) -> Kind:
    """Two, as `(a, b)`."""

    def read(argument: Argument) -> Value | None:
        items = argument.items()
        return tuple(kind.value(each) for each in items) if items is not None and len(items) == 2 else None

    return Kind(f"a pair: {example}", read, lambda value: isinstance(value, list | tuple) and len(value) == 2)


def _rows(argument: Argument) -> Value | None:
    found, call = _table(argument), argument.call()
    return found if found is not None or call is None or call[0] in ("array", "map") else TableText(argument.span)


ROWS = Kind("a table: TABLE(reports), TABLE(SELECT ...) or a call that gives one", _rows, _no_python)
