"""Expressions: text that has been translated, with its type and the columns it uses."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import pyarrow as pa

from streamframes.core.sparksql.rules import RULES
from streamframes.core.sparksql.syntax import parsed
from streamframes.core.sparksql.terms import Term, Untranslatable
from streamframes.core.sparksql.translate import Reader
from streamframes.errors import StreamFramesError


@dataclass(frozen=True)
class Expression:
    """An expression over the columns of a schema: its type, the columns it uses, and its values.

    `fails` says that some values make it raise. It travels as text; each process translates it once.
    """

    text: str
    schema: pa.Schema
    type: pa.DataType
    columns: tuple[str, ...]
    fails: bool

    def evaluate(self, batch: pa.RecordBatch) -> pa.Array:
        """The values on a batch; an overflow or a division by zero is an error, as in Spark."""
        try:
            term, _ = _translated(self.text, self.schema)
            return term.values(batch.select(self.columns) if self.columns else batch)
        except pa.ArrowInvalid as error:
            raise StreamFramesError(f"{self.text!r} cannot be evaluated: {error}") from error


def translate(text: str, schema: pa.Schema) -> Expression:
    """A Spark SQL expression over the columns of a schema, ready to be evaluated.

    >>> expression = translate("speed < 40", pa.schema({"speed": pa.float64()}))
    >>> expression.evaluate(pa.record_batch({"speed": [39.5, 41.0, None]})).to_pylist(), expression.columns
    ([True, False, None], ('speed',))
    """
    term, columns = _translated(text, schema)
    return Expression(text, schema, term.type, columns, term.fails)


@lru_cache(maxsize=128)
def _translated(text: str, schema: pa.Schema) -> tuple[Term, tuple[str, ...]]:
    """What computes the values, and the columns it looks at."""
    tree = parsed(text)
    reader = Reader(schema, RULES)
    try:
        term = reader.term(tree)
    except pa.ArrowInvalid as error:
        raise Untranslatable(f"{text!r} has a literal that is too large: {error}") from error
    if pa.types.is_null(term.type):
        raise Untranslatable(f"{text!r} is always null, without a type")
    return term, tuple(reader.used)
