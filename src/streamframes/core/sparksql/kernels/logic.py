"""Logic: and, or, not, and the choice between values. A part is computed only on rows where Spark would."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import everywhere, truths
from streamframes.core.sparksql.kernels.choice import picked
from streamframes.core.sparksql.terms import Guarded, Term, Untranslatable, Values, eager, strict
from streamframes.core.sparksql.types.coercion import coerced, common_type
from streamframes.core.sparksql.types.types import spark_name


def condition(term: Term) -> Term:
    """A term that must be a condition."""
    if term.type != pa.bool_() and not pa.types.is_null(term.type):
        raise Untranslatable(f"{spark_name(term.type)} is no condition")
    return coerced(term, pa.bool_())


def both(left: Term, right: Term) -> Term:
    """`left and right`, in three values; the right one only where the left is not false."""
    first, second = condition(left), Guarded(condition(right))

    def values(batch: pa.RecordBatch) -> pa.Array:
        known = first.values(batch)
        wanted = pc.or_(truths(known), pc.is_null(known)) if second.term.fails else None
        return pc.and_kleene(known, second.data(batch, wanted))

    return Term(pa.bool_(), values, fails=first.fails or second.term.fails)


def either(left: Term, right: Term) -> Term:
    """`left or right`, in three values; the right one only where the left is not true."""
    first, second = condition(left), Guarded(condition(right))

    def values(batch: pa.RecordBatch) -> pa.Array:
        known = first.values(batch)
        wanted = pc.invert(truths(known)) if second.term.fails else None
        return pc.or_kleene(known, second.data(batch, wanted))

    return Term(pa.bool_(), values, fails=first.fails or second.term.fails)


def negation(term: Term) -> Term:
    """`not term`."""
    return strict(pa.bool_(), pc.invert, condition(term))


def is_null(term: Term) -> Term:
    """`term is null`."""
    return negation(is_present(term))


def is_present(term: Term) -> Term:
    """`term is not null`; a dictionary need not be decoded for it."""
    if term.column is None:
        return eager(pa.bool_(), pc.is_valid, term)

    def values(batch: pa.RecordBatch) -> pa.Array:
        array = batch.column(term.column)
        in_dictionary = pa.types.is_dictionary(array.type) and array.dictionary.null_count
        return pc.is_valid(term.values(batch) if in_dictionary else array)

    return Term(pa.bool_(), values)


def chosen(branches: Sequence[tuple[Term, Term]], otherwise: Term) -> Term:
    """`case when ... then ... else ... end`."""
    kind = common_type([term.type for _, term in branches] + [otherwise.type])
    cases = [(condition(when), coerced(then, kind)) for when, then in branches]
    last = coerced(otherwise, kind)
    if not any(term.fails for case in cases for term in case) and not last.fails:
        return Term(kind, lambda batch: _backwards(cases, last, batch))
    guarded = [(Guarded(when), Guarded(then)) for when, then in cases]
    at_last = Guarded(last)

    def values(batch: pa.RecordBatch) -> pa.Array:
        open_rows = everywhere(batch.num_rows)
        result: Values = pa.scalar(None, kind)
        for when, then in guarded:
            holds = pc.and_(open_rows, truths(_array(when.data(batch, open_rows), batch)))
            result = picked(holds, then.data(batch, holds), result)
            open_rows = pc.and_not(open_rows, holds)
        return picked(open_rows, at_last.data(batch, open_rows), result)

    return Term(kind, values, fails=True)


def _array(data: Values, batch: pa.RecordBatch) -> pa.Array:
    return data if isinstance(data, pa.Array) else pa.repeat(data, batch.num_rows)


def _backwards(cases: Sequence[tuple[Term, Term]], last: Term, batch: pa.RecordBatch) -> pa.Array:
    """The last choice first: of terms that cannot fail all may be computed on each row."""
    result = last.data(batch)
    for when, then in reversed(cases):
        result = picked(truths(when.values(batch)), then.data(batch), result)
    return result


def first_present(terms: Sequence[Term]) -> Term:
    """`coalesce(terms)`; a later term only where the earlier ones are null."""
    kind = common_type([term.type for term in terms])
    first, *others = [coerced(term, kind) for term in terms]
    guarded = [Guarded(other) for other in others]

    def values(batch: pa.RecordBatch) -> pa.Array:
        result = first.values(batch)
        for other in guarded:
            if not result.null_count:
                break
            result = picked(pc.is_valid(result), result, other.data(batch, pc.is_null(result)))
        return result

    return Term(kind, values, fails=first.fails or any(other.fails for other in others))
