"""Nested sessions: sessions inside sessions, opened and closed by conditions, with aggregates rolled up.

`sessions()` checks its arguments at once and plans; nothing runs until a DataFrame that `.sessions()`, `.measures()`,
`.open()` or `.tag()` returns is used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING

from streamframes.api.frames import Frames
from streamframes.core.batch.clock import Duration
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument
from streamframes.options import Stream, stream_of

if TYPE_CHECKING:
    from streamframes.spark import DataFrame
    from streamframes.spark.planning.sessions import SessionQuery
    from streamframes.spark.scan.scan import Scan


def sessions(
    rows: DataFrame | Scan | Mapping[str, DataFrame | Scan],
    tree: Session | Sequence[Session],
    *,
    ts: str | Sequence[str],
    measures: Mapping[str, str] | None = None,
    prefix: str = "frame_",
    lateness: Duration | None = None,
    stream: Stream | None = None,
) -> Sessions:
    """Let events flow down a tree of session classes, and aggregates up.

    Parameters
    ----------
    rows
        A Spark DataFrame of events, a table or a stream, or a `scan()`; or several by name, where each tree names its
        `source`.
    tree
        The root of the tree of classes, or a list of roots.
    ts
        The column that orders events, or a list of it and the columns that break ties.
    measures
        Name -> aggregate, like `"System.avg(Call.sum(ATT.duration(ts)))"`.
    prefix
        What the names of the frame columns of sessions begin with.
    lateness, stream
        What is known of a stream and wanted of it, as for `frames()`; `Stream(control=...)` changes measures while it
        runs.

    Returns
    -------
    Sessions
        A lazy value; `.sessions()`, `.measures()`, `.open()` and `.tag()` return DataFrames.
    """
    from streamframes.spark.planning.session_plans import plan_sessions

    options = stream_of(stream, lateness, "sessions", ("control",))
    return Sessions(plan_sessions(rows, tree, ts=ts, measures=measures, prefix=prefix, stream=options))


@dataclass(frozen=True, repr=False)
class Sessions:
    """Nested sessions that have been planned and not yet found."""

    trees: tuple[SessionQuery, ...]

    def sessions(self, *classes: str) -> DataFrame:
        """One row per closed session: keys, id, start, end, rows, closed_by, class, parent, level, and attributes.

        `classes` choose whose sessions are wanted; without, all are. A root that never ends is not among them.
        """
        return _together([each.result("sessions") for each in self._chosen(classes, "sessions")])

    def measures(self) -> DataFrame:
        """One row whenever a measure changes: the instant, `class` and `id` of whose it is, `measure` and `value`."""
        measured = [each for each in self.trees if each.planner.measures or each.control is not None]
        if not measured:
            raise InvalidArgument("measures() got none; plan them: sessions(..., measures={'name': 'Call.count(ATT)'})")
        return _together([each.measures() for each in measured])

    def open(self, *classes: str) -> DataFrame:
        """The sessions of a table that are open at its end."""
        if any(each.is_stream for each in self.trees):
            raise InvalidArgument(
                "open() got a stream, which has no end; its open sessions are counted in the progress"
            )
        return _together([each.open_table() for each in self._chosen(classes, "open")])

    def tag(self, *classes: str, keep_outside: bool = False) -> DataFrame:
        """The events, each with the ids of the sessions it belongs to: a column `Class_id` for each class."""
        chosen = self._chosen(classes, "tag")
        if len(chosen) > 1:
            raise InvalidArgument(f"tag() got {len(chosen)} trees; name classes of one of them")
        return chosen[0].tagged(keep_outside=keep_outside)

    def frames(self, name: str) -> Frames:
        """The sessions of one class as frames, which can be filled, tagged, expanded, moved and split."""
        (chosen,) = self._chosen((name,), "frames")
        if chosen.chosen == (0,) and chosen.planner.classes[0].is_lasting:
            raise InvalidArgument(f"frames() got {name!r}, which never ends; name a class that does")
        return Frames(chosen)

    def diagnostics(self) -> DataFrame:
        """By class, for a table: events whose key was null, and events that would have closed what was not open."""
        if any(each.is_stream for each in self.trees):
            raise InvalidArgument("diagnostics() got a stream; such events are counted in the progress of its query")
        return _together([each.diagnostics() for each in self.trees])

    def explain(self) -> str:
        """Which way the events go, where they are dealt with, and why."""
        return "\n".join(each.explain() for each in self.trees)

    def _chosen(self, classes: Sequence[str], verb: str) -> list[SessionQuery]:
        """The trees of some classes, each with those that were named."""
        if not classes:
            return list(self.trees)
        known = {name.lower() for each in self.trees for name in each.planner.names}
        for name in classes:
            if not isinstance(name, str) or name.lower() not in known:
                names = ", ".join(name for each in self.trees for name in each.planner.names)
                raise InvalidArgument(f"{verb}() got {name!r}; the classes are {names}")
        found = []
        for each in self.trees:
            numbers = sorted(each.planner.numbers[n.lower()] for n in classes if n.lower() in each.planner.numbers)
            if numbers:
                found.append(replace(each, chosen=tuple(dict.fromkeys(numbers))))
        return found

    def __repr__(self) -> str:
        return f"Sessions({'; '.join(each.describe() for each in self.trees)})"


def _together(found: Sequence[DataFrame]) -> DataFrame:
    """The results of several trees; a column that one of them lacks is null there."""
    return reduce(lambda a, b: a.unionByName(b, allowMissingColumns=True), found)
