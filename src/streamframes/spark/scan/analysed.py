"""Analysed expressions: what Spark understands an expression to be, as SQL that the core translates.

Spark's analyser says which column a name means and which casts are implied. What its SQL leaves open is filled in: the
zone of an instant, which is the session's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pyarrow as pa
from py4j.java_gateway import JavaObject  # type: ignore[import-untyped]
from pyspark import SparkContext
from pyspark.sql import DataFrame

from streamframes.core.batch.packer import Layout
from streamframes.core.sparksql import Expression, Untranslatable, translate

# Strings and quoted names are left alone; a decimal is written without its suffix, and between() under a name that is
# no keyword.
_PARTS = r"'(?:[^'\\]|\\.)*'|`(?:[^`]|``)*`|(?P<number>\b\d+(?:\.\d*)?|\.\d+)BD\b|(?P<between>\bbetween(?=\())"
# Words that Spark writes without quotes, whether they are names of columns or not.
_WORDS = {"true", "false", "null", "current_date", "current_timestamp", "current_user", "user", "localtimestamp"}
# Where instants may be, and columns that are cast to the type that they have.
_OPEN = re.compile(r"TIMESTAMP|\bIN \(|\bbetween\(")
_NAMED = "commonexpressionref()"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def resolved(selected: DataFrame, schema: pa.Schema, layout: Layout) -> tuple[str | Expression, ...]:
    """For each column of a projection the name of a column, or an expression over columns."""
    kinds = [*layout.keys.types, layout.ts_type, *layout.columns]
    ansi = is_ansi(selected)
    return tuple(
        str(each.name())
        if each.getClass().getSimpleName() == "AttributeReference" and schema.field(each.name()).type == kind
        else translated(each, schema, kind, ansi=ansi)
        for each, kind in zip(_projected(selected), kinds, strict=True)
    )


def is_ansi(rows: DataFrame) -> bool:
    """Whether an overflow or a division by zero is an error."""
    return str(rows.sparkSession.conf.get("spark.sql.ansi.enabled")).lower() == "true"


def translated(analysed: JavaObject, schema: pa.Schema, kind: pa.DataType, *, ansi: bool) -> Expression:
    """What Spark has analysed, computed by the core; refused where results could differ."""
    text = str(analysed.sql())
    confusing = [name for name in schema.names if name.lower() in _WORDS]
    if confusing:
        raise Untranslatable(f"a column is called {confusing[0]}, which may mean something else in {text}")
    jvm: JavaObject = getattr(SparkContext, "_jvm", None)
    patterns = jvm.org.apache.spark.sql.catalyst.trees.TreePattern
    if any(analysed.containsPattern(each) for each in (patterns.PYTHON_UDF(), patterns.SCALA_UDF())):
        raise Untranslatable(f"{text} calls a function of the user")
    expression = translate(_plain(text, _said_exactly(analysed) if _OPEN.search(text) else {}), schema)
    if expression.type != kind:
        raise Untranslatable(f"{text} is a {expression.type} here and a {kind} in Spark")
    if expression.fails and not ansi:
        raise Untranslatable(f"{text} is null instead of an error where spark.sql.ansi.enabled is false")
    return expression


def _projected(selected: DataFrame) -> list[JavaObject]:
    """What Spark has made of each column of a projection."""
    columns = analysed_plan(selected).projectList()
    each = map(columns.apply, range(columns.size()))
    return [one.child() if one.getClass().getSimpleName() == "Alias" else one for one in each]


def analysed_plan(rows: DataFrame) -> JavaObject:
    """The plan of a DataFrame as Spark has analysed it."""
    java: JavaObject = getattr(rows, "_jdf", None)
    if java is None:
        raise Untranslatable("a Spark Connect client does not say how Spark understands an expression")
    return java.queryExecution().analyzed()


def _said_exactly(analysed: JavaObject) -> dict[str, str]:
    """Parts of the text of an expression that leave something open, and how they are written so that they do not."""
    found: dict[str, str] = {}
    for part, said in _exact_parts(analysed):
        if found.setdefault(part, said) != said:
            raise Untranslatable(f"{part} is two instants in the session's time zone")
    return found


def _exact_parts(node: JavaObject) -> Iterator[tuple[str, str]]:
    name, is_instant = str(node.getClass().getSimpleName()), str(node.dataType().simpleString()) == "timestamp"
    children = [node.children().apply(number) for number in range(node.children().size())]
    if is_instant and name in ("Literal", "Cast") and _is_literal(node):
        micros = node.eval(None)
        if micros is not None:
            yield str(node.sql()), _instant(int(micros))
        return
    if name == "Cast" and children[0].dataType().simpleString() == node.dataType().simpleString():
        yield str(node.sql()), _exact(children[0])
    if name == "Between":
        yield str(node.sql()), f"({_comparisons(node.replacement())})"
    for child in children:
        yield from _exact_parts(child)


def _exact(node: JavaObject) -> str:
    return _plain(str(node.sql()), _said_exactly(node))


def _comparisons(replacement: JavaObject) -> str:
    """What `between` means; later versions of Spark give the value a name, which is looked up here."""
    if replacement.getClass().getSimpleName() != "With":
        return _exact(replacement)
    (value,) = (replacement.defs().apply(number) for number in range(replacement.defs().size()))
    return _exact(replacement.child()).replace(_NAMED, _exact(value.child()))


def _is_literal(node: JavaObject) -> bool:
    """Whether nothing but literals is in it, so that it is the same whenever it is looked at."""
    children = [node.children().apply(number) for number in range(node.children().size())]
    if not children:
        return str(node.getClass().getSimpleName()) == "Literal"
    return all(map(_is_literal, children))


def _instant(micros: int) -> str:
    try:
        moment = _EPOCH + timedelta(microseconds=micros)
    except OverflowError:
        raise Untranslatable("an instant beyond the year 9999 is left to Spark") from None
    return f"TIMESTAMP '{moment:%Y-%m-%d %H:%M:%S.%f}Z'"


def _plain(text: str, said: dict[str, str] | None = None) -> str:
    """The text as translate() reads it, with `said` in the place of parts.

    >>> _plain("(value > CAST(0.5BD AS DOUBLE))"), _plain("between(x, 1, 'between(1BD')")
    ('(value > CAST(0.5 AS DOUBLE))', "is_between(x, 1, 'between(1BD')")
    """
    said = said or {}

    def replaced(part: re.Match[str]) -> str:
        if part[0] in said:
            return said[part[0]]
        if part["between"]:
            return "is_between"
        return part["number"] or part[0]

    longest_first = sorted(said, key=len, reverse=True)
    return re.sub("|".join([*map(re.escape, longest_first), _PARTS]), replaced, text)
