"""SQL: the verbs as functions in the FROM of any query of Spark.

`sql()` plans the calls in a query with the verbs of the library, and leaves the rest of it to Spark. `register()` is
for tools that know nothing but `spark.sql()`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from streamframes.api.accuracy import accuracy
from streamframes.api.algebra import at, complement, coverage, intersect, overlaps, subtract, union
from streamframes.api.bursts import bursts
from streamframes.api.frames import fill, frames
from streamframes.api.match import match
from streamframes.api.regions import density, regions
from streamframes.api.rows import scan, session
from streamframes.api.sessions import sessions
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.spark import DataFrame, SparkSession

VERBS: Mapping[str, Callable[..., object]] = {
    each.__name__: each
    for each in (
        *(accuracy, at, bursts, complement, coverage, density, fill, frames),
        *(intersect, match, overlaps, regions, scan, sessions, subtract, union),
    )
}


def sql(
    text: str, spark: SparkSession | None = None, *, args: Mapping[str, object] | None = None, **parameters: object
) -> DataFrame:
    """Carry out a query of Spark in whose FROM the verbs may stand: `frames(TABLE(reports), threshold(...), ts => at)`.

    Parameters
    ----------
    text
        One statement of Spark SQL. A function is the Python call of its name: unnamed arguments by their place, others
        as `name => value`, measures as further named ones. `MATCH_RECOGNIZE (...)` is a call of `match()`.
    spark
        The session; the one that runs, or a new one of `session()`, unless given.
    args
        Values of parameters by name, for names that are no words of Python or are called `text`, `spark` or `args`.
    **parameters
        Values of parameters, written `:name`. In an expression a value is a literal, whatever is in it; a whole
        argument may be any Python value, such as an `OwnScheme`; `TABLE(:name)` is a DataFrame or a `scan()`.

    Returns
    -------
    DataFrame
        The result, a stream if a function in it is applied to one. `CREATE TEMP VIEW` returns the rows of the view.
    """
    from streamframes.spark.sql.run import run_text

    if not isinstance(text, str) or not text.strip():
        raise InvalidArgument(f"sql() got text={text!r}; write a query like 'SELECT * FROM frames(TABLE(r), ...)'")
    given = dict(args or {})
    for name in parameters:
        if name in given:
            raise InvalidArgument(f"sql() got the parameter {name!r} twice; leave it out of args=")
    return run_text(session() if spark is None else spark, text, VERBS, {**given, **parameters})


def register(spark: SparkSession | None = None) -> list[str]:
    """Register the schemes as table functions, for plain `spark.sql()` and every tool of the session; tables only.

    `threshold_frames(TABLE(reports), 'drop_pct > 0.3', ts => 'rpt_time', by => 'router')` gives the frames that
    `frames()` gives, with their ids. All arguments are constants, durations are texts. It is slower than `sql()`, as
    Spark hands rows to Python one by one; see docs/sql.md.

    Parameters
    ----------
    spark
        The session; the one that runs, or a new one of `session()`, unless given.

    Returns
    -------
    list of str
        The names: `threshold_frames`, `delta_frames`, and so on.
    """
    from streamframes.spark.sql.table_functions import register as register_in

    return register_in(session() if spark is None else spark)
