"""Patterns: match() finds rows that follow each other as a pattern says, as MATCH_RECOGNIZE of SQL does.

`match()` checks its arguments at once and plans; nothing runs until a DataFrame that its value returns is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.api.frames import Frames
from streamframes.arguments import Columns
from streamframes.core.batch.clock import Duration
from streamframes.core.patterns.plan import ONE
from streamframes.core.patterns.resolve import PatternText
from streamframes.options import Stream, stream_of

if TYPE_CHECKING:
    from streamframes.spark import DataFrame
    from streamframes.spark.planning.patterns import PatternQuery
    from streamframes.spark.scan.scan import Scan


def match(
    rows: DataFrame | Scan,
    pattern: str,
    *,
    ts: Columns,
    by: Columns = (),
    define: Mapping[str, str] | None = None,
    measures: Mapping[str, str] | None = None,
    subset: Mapping[str, Sequence[str]] | None = None,
    rows_per_match: str = "one",
    after_match: str = "past last row",
    within: Duration | None = None,
    timeouts: bool = False,
    stream: Stream | None = None,
) -> Matches:
    """Find rows that match a pattern of variables.

    Parameters
    ----------
    rows
        A Spark DataFrame, a table or a stream, or a `scan()` of files; the result is a stream if the rows are one.
    pattern
        Variables one after the other, with `|`, groups, `*`, `+`, `?`, `{n,m}` (reluctant with `?` behind), `^`, `$`,
        `{- excluded -}`, `PERMUTE(A, B)` and `()`.
    ts
        The column that orders rows, or a list of it and the columns that break ties.
    by
        Column(s) that group rows; matches are sought in each group on its own.
    define
        Variable -> condition: Spark SQL with PREV, NEXT, FIRST, LAST, CLASSIFIER, MATCH_NUMBER and aggregates over
        variables. A variable without one is any row.
    measures
        Name -> expression over the rows of a match, of the same language, with RUNNING and FINAL.
    subset
        Name -> variables: a name for the rows of several variables.
    rows_per_match
        `"one"`, `"all"`, `"all omit empty"` or `"all with unmatched"`.
    after_match
        Where the search goes on: `"past last row"`, `"to next row"`, `"to first A"`, `"to last A"` or `"to A"`.
    within
        No match lasts longer than this, from its first row to its last.
    timeouts
        Report what has begun and was not completed in that time, with `frame_closed_by` = `timeout`.
    stream
        What is known of a stream: lateness, punctuation, late rows; see `Stream`.

    Returns
    -------
    Matches
        A lazy value: matches are frames; `.toDF()`, `.agg()`, `.tag()` and `.fill()` return DataFrames.
    """
    from streamframes.spark.planning.patterns import plan_match

    text = PatternText(pattern, define or {}, measures or {}, subset or {}, rows_per_match, after_match)
    options = stream_of(stream, None, "match")
    return Matches(plan_match(rows, text, ts=ts, by=by, within=within, timeouts=timeouts, stream=options))


@dataclass(frozen=True, repr=False)
class Matches(Frames):
    """Matches of a pattern that have been planned and not yet found."""

    plan: PatternQuery

    def toDF(self) -> DataFrame:
        """One row per match, or the rows of matches, as `rows_per_match` says."""
        if self.moves or self.plan.text.rows_per_match == ONE:
            return super().toDF()
        return self.plan.row_table()

    def __repr__(self) -> str:
        return super().__repr__().replace("Frames(", "Matches(", 1)
