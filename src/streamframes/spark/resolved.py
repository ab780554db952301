"""Resolved expressions: what Spark has made of columns, as values that workers compute on Arrow batches.

Spark's analyser says what an expression is: which column a name means, which casts are implied. Its answer, again as
SQL, is what gets translated, so that text and Columns alike are computed as Spark understands them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from streamframes.core.packing import Layout
from streamframes.core.sql import Expression, Untranslatable, translate

# Strings and quoted names are left alone; a decimal is written without its suffix, and between() under a name that is
# no keyword.
_PARTS = re.compile(
    r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|(?P<number>\b\d+(?:\.\d*)?|\.\d+)BD\b|(?P<between>\bbetween(?=\())"
)


def resolved(selected: DataFrame, schema: pa.Schema, layout: Layout) -> Iterator[str | Expression]:
    """For each column of a projection the name of a column, or an expression over columns."""
    kinds = [*layout.keys.types, layout.ts_type, *layout.columns]
    for text, kind in zip(_texts(selected), kinds, strict=True):
        name = _plain_name(text)
        if name is not None and name in schema.names and schema.field(name).type == kind:
            yield name
            continue
        expression = translate(_plain(text), schema)
        if expression.type != kind:
            raise Untranslatable(f"{text} is a {expression.type} here and a {kind} in Spark")
        yield expression


def _texts(selected: DataFrame) -> Iterator[str]:
    """The SQL of each column of a projection."""
    java: Any = getattr(selected, "_jdf", None)
    if java is None:
        raise Untranslatable("a Spark Connect client does not tell how Spark understands an expression")
    columns = java.queryExecution().analyzed().projectList()
    for i in range(columns.size()):
        each = columns.apply(i)
        is_alias = each.getClass().getSimpleName() == "Alias"
        yield str(each.child().sql() if is_alias else each.sql())


def _plain_name(text: str) -> str | None:
    """The column that a text is, if it is nothing else.

    >>> _plain_name("value"), _plain_name("`a.b c`"), _plain_name("(value + 1)")
    ('value', 'a.b c', None)
    """
    if re.fullmatch(r"`(?:[^`]|``)+`", text):
        return text[1:-1].replace("``", "`")
    return text if re.fullmatch(r"\w+", text) else None


def _plain(text: str) -> str:
    """The text as translate() reads it.

    >>> _plain("(value > CAST(0.5BD AS DOUBLE))"), _plain("between(x, 1, 'between(1BD')")
    ('(value > CAST(0.5 AS DOUBLE))', "is_between(x, 1, 'between(1BD')")
    """

    def replaced(part: re.Match[str]) -> str:
        if part["between"]:
            return "is_between"
        return part["number"] or part[0]

    return _PARTS.sub(replaced, text)
