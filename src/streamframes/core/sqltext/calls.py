"""Calls: a function of ours in FROM, read as the Python call that it is.

frames(TABLE(reports), threshold(drop_pct > 0.3), ts => rpt_time)      Call("frames", receiver=TableText(...), ...)
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from streamframes.core.sqltext.arguments import Argument, Call, Rows, TableText, Value
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.kinds import NAME as NAMES
from streamframes.core.sqltext.kinds import ROWS, TABLE, TEXT, mapped, one_or_more
from streamframes.core.sqltext.signature import ROWS_ONLY, Signature
from streamframes.core.sqltext.source import Source, Span

_SOURCES = mapped(NAMES, ROWS, "map(calls, TABLE(calls), clicks, TABLE(clicks))")
_FILES = one_or_more(TEXT, "('january/*.parquet', 'february/*.parquet')")


@dataclass(frozen=True)
class Applied:
    """A call, and what it is applied to: a table, what another call has planned, or the paths of a scan."""

    call: Call
    receiver: Value
    signature: Signature


def read_call(source: Source, span: Span) -> Applied:
    """The call that some tokens are."""
    name = source.word(span.first).lower()
    inside = source.inside(span.first + 1)
    first, *_ = [*source.split(inside), Span(inside.first, inside.first)]
    rest = Span(min(first.last + 1, inside.last), inside.last)
    if name == "scan":
        signature = FUNCTIONS[name]["files"]
        argument = Argument(source, first, "paths")
        if not argument.size:
            raise source.error_at(span, "scan() has no paths; write scan('reports/*.parquet')")
        return Applied(signature.read(source, span, rest, "files"), _FILES.value(argument), signature)
    kind, receiver = _receiver(source, name, span, first)
    signature = _signature(source, name, kind, span, first)
    if kind == ROWS_ONLY and isinstance(receiver, Applied) and receiver.call.name != "scan":
        receiver = TableText(first)
    return Applied(signature.read(source, span, rest, kind), receiver, signature)


def _receiver(source: Source, name: str, span: Span, first: Span) -> tuple[str, Value]:
    """What the first argument is, and what it holds."""
    takes_rows = ROWS_ONLY in FUNCTIONS[name]
    example = "TABLE(reports)" if takes_rows else f"{_givers(name)[0]}(...)"
    argument = Argument(source, first, "rows")
    if not argument.size or source.is_(first.first + 1, TokenType.FARROW):
        raise source.error_at(span, f"{name}() has no rows; its first argument is {example}")
    call = argument.call()
    if call is not None and call[0] in FUNCTIONS:
        inner = read_call(source, first)
        returns = inner.signature.returns
        return (returns if returns in FUNCTIONS[name] else ROWS_ONLY), inner
    parameter = argument.parameter()
    if parameter is not None:
        return ROWS_ONLY, Rows(argument.bound(parameter), parameter, first)
    if takes_rows:
        found = _SOURCES.attempt(argument) if name == "sessions" else None
        found = TABLE.attempt(argument) if found is None else found
        if found is not None:
            return ROWS_ONLY, found
    hint = f"; write TABLE({argument.written})" if takes_rows and _is_path(argument) else ""
    raise argument.error(f"{name}() got {argument.written!r}, but its first argument is like {example}{hint}")


def _is_path(argument: Argument) -> bool:
    """Whether it is the name of a table, with those of its catalog and schema."""
    span, source = argument.span, argument.source
    return all(
        source.is_(i, TokenType.DOT) if (i - span.first) % 2 else source.name(i) is not None for i in range(*span)
    )


def _signature(source: Source, name: str, kind: str, span: Span, first: Span) -> Signature:
    if kind in FUNCTIONS[name]:
        return FUNCTIONS[name][kind]
    raise source.error_at(
        first,
        f"{name}() got {source.plain(first)!r}; it goes with {', '.join(f'{each}(...)' for each in _givers(name))}",
    )


def _givers(name: str) -> list[str]:
    """The functions that plan what this one takes."""
    wanted = set(FUNCTIONS[name])
    return [
        other
        for other, forms in FUNCTIONS.items()
        if any(form.returns in wanted - {ROWS_ONLY} and form.returns != ROWS_ONLY for form in forms.values())
    ]
