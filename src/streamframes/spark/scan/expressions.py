"""Resolved expressions: what Spark has made of columns, as values that workers compute on Arrow batches.

Spark's analyser says what an expression is: which column a name means, which casts are implied. Its answer, again as
SQL, is what gets translated, so that text and Columns alike are computed as Spark understands them.
"""

from __future__ import annotations

import re
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame

from streamframes.core.batch.packer import Layout
from streamframes.core.sparksql import Expression, Untranslatable, translate

# Strings and quoted names are left alone; a decimal is written without its suffix, and between() under a name that is
# no keyword.
_PARTS = re.compile(
    r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|(?P<number>\b\d+(?:\.\d*)?|\.\d+)BD\b|(?P<between>\bbetween(?=\())"
)


# Words that Spark writes without quotes, whether they are names of columns or not.
_WORDS = {"true", "false", "null", "current_date", "current_timestamp", "current_user", "user", "localtimestamp"}


def resolved(selected: DataFrame, schema: pa.Schema, layout: Layout) -> tuple[str | Expression, ...]:
    """For each column of a projection the name of a column, or an expression over columns."""
    kinds = [*layout.keys.types, layout.ts_type, *layout.columns]
    ansi = str(selected.sparkSession.conf.get("spark.sql.ansi.enabled")).lower() == "true"
    return tuple(
        str(each.name())
        if each.getClass().getSimpleName() == "AttributeReference" and schema.field(each.name()).type == kind
        else _translated(str(each.sql()), schema, kind, ansi=ansi)
        for each, kind in zip(_projected(selected), kinds, strict=True)
    )


def _translated(text: str, schema: pa.Schema, kind: pa.DataType, *, ansi: bool) -> Expression:
    confusing = [name for name in schema.names if name.lower() in _WORDS]
    if confusing:
        raise Untranslatable(f"a column is called {confusing[0]}, which may mean something else in {text}")
    expression = translate(_plain(text), schema)
    if expression.type != kind:
        raise Untranslatable(f"{text} is a {expression.type} here and a {kind} in Spark")
    if expression.term.fails and not ansi:
        raise Untranslatable(f"{text} is null instead of an error where spark.sql.ansi.enabled is false")
    return expression


def _projected(selected: DataFrame) -> list[Any]:
    """What Spark has made of each column of a projection."""
    java: Any = getattr(selected, "_jdf", None)
    if java is None:
        raise Untranslatable("a Spark Connect client does not say how Spark understands an expression")
    columns = java.queryExecution().analyzed().projectList()
    each = map(columns.apply, range(columns.size()))
    return [one.child() if one.getClass().getSimpleName() == "Alias" else one for one in each]


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
