"""Texts: patterns that are plain, and lengths. Capitals and other patterns are left to Spark.

Valid UTF-8 is found in UTF-8 byte by byte, so that it does not matter whether bytes or characters are looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sparksql.terms import Term, Untranslatable, strict
from streamframes.core.sparksql.types.types import spark_name

_FINDERS: dict[str, Callable[[pa.Array, str], pa.Array]] = {
    "startswith": pc.starts_with,
    "endswith": pc.ends_with,
    "contains": pc.match_substring,
    "equals": lambda array, part: pc.equal(array, pa.scalar(part)),
}


def _text(term: Term) -> Term:
    if term.type != pa.string():
        raise Untranslatable(f"{spark_name(term.type)} is no string")
    return term


def found(how: str, term: Term, part: Term) -> Term:
    """`startswith`, `endswith` and `contains` of a constant."""
    if part.scalar is None or _text(part).scalar is None:
        raise Untranslatable(f"{how} of anything but a constant is left to Spark")
    text = part.scalar.as_py()
    return strict(pa.bool_(), lambda array, _: _FINDERS[how](array, text), _text(term), part)


def like(term: Term, pattern: Term) -> Term:
    """`term like pattern`, for a constant pattern with % only at its ends."""
    if pattern.scalar is None or pattern.type != pa.string():
        raise Untranslatable("LIKE with a pattern that is no constant is left to Spark")
    text = pattern.scalar.as_py()
    part = text.strip("%")
    if "%" in part or "_" in part:
        raise Untranslatable(f"LIKE '{text}' is left to Spark; here % may stand at the ends of a pattern, and no _")
    finders = {
        (False, False): "equals",
        (True, False): "endswith",
        (False, True): "startswith",
        (True, True): "contains",
    }
    find = _FINDERS[finders[text.startswith("%"), text.endswith("%")]]
    return strict(pa.bool_(), lambda array: find(array, part), _text(term))


def length(term: Term) -> Term:
    """`length(term)`, in characters."""
    return strict(pa.int32(), pc.utf8_length, _text(term))
