"""Spark SQL without Spark: scalar expressions, computed on Arrow batches with the results that Spark would give.

  text ── sqlglot ──> tree ── translate ──> terms with types ── a batch ──> values

What cannot be computed exactly is refused when it is translated. Results are those of ANSI mode, in which an
overflow or a division by zero is an error; a part that Spark would not evaluate on a row is not evaluated here.

Entry point: `translate`. Used by scans, filled rows, edges of frames and sessions; `aggregate_call` by the aggregate
scheme.
"""

from streamframes.core.sparksql.expression import Expression, translate
from streamframes.core.sparksql.terms import Untranslatable

__all__ = ["Expression", "Untranslatable", "translate"]
