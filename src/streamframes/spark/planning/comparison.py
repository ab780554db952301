"""Comparisons: the value that a condition is about, the windows and the heuristics, checked before a job starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlglot import exp

from streamframes.core.batch.clock import Clock
from streamframes.core.schemes import Count, Every, Scheme, Threshold
from streamframes.core.sparksql import Untranslatable
from streamframes.core.sparksql.syntax import parsed
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument

HEURISTICS = ("min", "max", "avg")
_VALUE = "__sf_value"


@dataclass(frozen=True)
class Subject:
    """The value that a condition is about: its expression, and the condition with the value under a name."""

    value: str
    condition: str
    name: str


def subject_of(condition: str, value: str | None, columns: Sequence[str]) -> Subject:
    """The value of a condition: the one given, or the one column that it names."""
    tree = _parsed(condition, "where")
    named = {_spelled(node): node for node in tree.find_all(exp.Column)}
    if value is None:
        if len(named) != 1:
            found = ", ".join(node.sql(dialect="spark") for node in named.values()) or "none"
            raise InvalidArgument(
                f"accuracy() got the condition {condition!r}, which names {len(named)} columns ({found}); "
                "say with value= what it is about, for example value='speed'"
            )
        value = next(iter(named.values())).sql(dialect="spark")
    wanted = _parsed(value, "value")
    plain = [name for name in columns if name.lower() == wanted.name.lower() and not wanted.args.get("table")]
    if list(named) == [_spelled(wanted)] and len(plain) == 1:
        return Subject(value, condition, plain[0])
    return Subject(value, _rewritten(tree, wanted, condition, value), _VALUE)


def _parsed(text: str, argument: str) -> exp.Expression:
    if not isinstance(text, str):
        raise InvalidArgument(f"accuracy() got {argument}={text!r}; write a column or an expression as text")
    try:
        return parsed(text)
    except Untranslatable as error:
        raise InvalidArgument(f"accuracy() got {argument}={text!r}, which cannot be read: {error}") from error


def _spelled(node: exp.Expression) -> str:
    """A node in one spelling: Spark takes no notice of capitals and quotes in names."""
    return node.transform(_lowered).sql(dialect="spark")


def _lowered(node: exp.Expression) -> exp.Expression:
    return exp.to_identifier(node.name.lower(), quoted=True) if isinstance(node, exp.Identifier) else node


def _rewritten(tree: exp.Expression, wanted: exp.Expression, condition: str, value: str) -> str:
    """The condition about a column that stands for the value."""
    same = wanted.transform(_lowered)
    changed = tree.transform(_lowered).transform(lambda node: exp.column(_VALUE) if node == same else node)
    names = {node.sql(dialect="spark") for node in changed.find_all(exp.Column)}
    if names != {_VALUE}:
        others = ", ".join(sorted(names - {_VALUE})) or "no column"
        raise InvalidArgument(
            f"accuracy() got value={value!r}, but the condition {condition!r} depends on {others}; "
            "give all of the expression that is compared, as it stands there"
        )
    return changed.sql(dialect="spark")


def require_condition(scheme: object) -> None:
    """Refuse what has no condition that a heuristic could be asked about."""
    if not isinstance(scheme, Threshold):
        raise InvalidArgument(f"accuracy() got scheme={scheme!r}; give a Threshold like Threshold('speed < 40')")
    if not isinstance(scheme.where, str):
        raise InvalidArgument(
            f"accuracy() got a Threshold on the Column {scheme.where}; write its condition as text, like 'speed < 40'"
        )
    if scheme.gaps:
        raise InvalidArgument(
            f"accuracy() got scheme={scheme!r}, where every row is in a frame; leave out gaps=True to compare episodes"
        )


def check_heuristics(heuristics: object) -> list[str]:
    """The heuristics by name."""
    wanted = [heuristics] if isinstance(heuristics, str) else heuristics
    if not isinstance(wanted, Sequence) or not wanted or len(set(wanted)) < len(wanted):
        raise InvalidArgument(
            f"accuracy() got heuristics={heuristics!r}; give some of {', '.join(HEURISTICS)}, each once"
        )
    for name in wanted:
        check_choice(name, "heuristics", HEURISTICS)
    return list(wanted)


def check_windows(windows: object, clock: Clock) -> list[tuple[str, Scheme]]:
    """The windows as schemes, each with what it is called in the result."""
    if isinstance(windows, str | Scheme) or not isinstance(windows, Sequence) or not windows:
        raise InvalidArgument(
            f"accuracy() got windows={windows!r}; give a list of lengths like ['60 seconds', '5 minutes', sf.Count(20)]"
        )
    return [(str(window), _window(window, clock)) for window in windows]


def _window(window: object, clock: Clock) -> Scheme:
    if isinstance(window, Every | Count):
        if window.slide is not None:
            raise InvalidArgument(f"accuracy() got windows=[{window!r}], which overlap; leave out slide=")
        window.compile(clock)
        return window
    if isinstance(window, bool) or not isinstance(window, str | int | float | timedelta):
        raise InvalidArgument(
            f"accuracy() got windows=[{window!r}]; give a length like '60 seconds', sf.Every(...) or sf.Count(...)"
        )
    if isinstance(window, int | float) and clock.kind != "integer":
        unit = "days" if clock.kind == "date" else "seconds"
        raise InvalidArgument(
            f"accuracy() got windows=[{window!r}], a plain number, but ts is a {clock.kind}; "
            f"write sf.Count({window}) for rows or '{window} {unit}' for time"
        )
    clock.ticks(window, "windows")
    return Every(window)
