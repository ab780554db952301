"""Logic: and, or, not, and the choice between values. A part is computed only on rows where Spark would."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sql.coercion import coerced, common_type
from streamframes.core.sql.terms import Term, Untranslatable, strict, values_where


def condition(term: Term) -> Term:
    """A term that must be a condition."""
    if term.type != pa.bool_() and not pa.types.is_null(term.type):
        raise Untranslatable(f"{term.type} is no condition")
    return coerced(term, pa.bool_())


def both(left: Term, right: Term) -> Term:
    """`left and right`, in three values; the right side only where the left is not false."""
    first, second = condition(left), condition(right)

    def values(batch: pa.RecordBatch) -> pa.Array:
        known = first.values(batch)
        return pc.and_kleene(known, values_where(second, batch, known.fill_null(True)))

    return Term(pa.bool_(), values, fails=first.fails or second.fails)


def either(left: Term, right: Term) -> Term:
    """`left or right`, in three values; the right side only where the left is not true."""
    first, second = condition(left), condition(right)

    def values(batch: pa.RecordBatch) -> pa.Array:
        known = first.values(batch)
        return pc.or_kleene(known, values_where(second, batch, pc.invert(known.fill_null(False))))

    return Term(pa.bool_(), values, fails=first.fails or second.fails)


def negation(term: Term) -> Term:
    """`not term`."""
    return strict(pa.bool_(), pc.invert, condition(term))


def chosen(branches: Sequence[tuple[Term, Term]], otherwise: Term) -> Term:
    """`case when ... then ... else ... end`."""
    kind = common_type([term.type for _, term in branches] + [otherwise.type])
    cases = [(condition(when), coerced(then, kind)) for when, then in branches]
    last = coerced(otherwise, kind)

    def values(batch: pa.RecordBatch) -> pa.Array:
        open_rows = pa.repeat(pa.scalar(True), batch.num_rows)
        result = pa.nulls(batch.num_rows, kind)
        for when, then in cases:
            holds = pc.and_(open_rows, values_where(when, batch, open_rows).fill_null(False))
            result = pc.if_else(holds, values_where(then, batch, holds), result)
            open_rows = pc.and_not(open_rows, holds)
        return pc.if_else(open_rows, values_where(last, batch, open_rows), result)

    return Term(kind, values, fails=any(term.fails for case in cases for term in case) or last.fails)


def first_present(terms: Sequence[Term]) -> Term:
    """`coalesce(terms)`; a later term only where the earlier ones are null."""
    kind = common_type([term.type for term in terms])
    first, *others = [coerced(term, kind) for term in terms]

    def values(batch: pa.RecordBatch) -> pa.Array:
        result = first.values(batch)
        for other in others:
            result = pc.coalesce(result, values_where(other, batch, result.is_null()))
        return result

    return Term(kind, values, fails=first.fails or any(other.fails for other in others))
