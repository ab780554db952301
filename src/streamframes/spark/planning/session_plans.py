"""Plans of sessions: what is asked for is checked before a job starts; each tree gets the rows that flow down it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
from pyspark.sql import DataFrame

from streamframes.arguments import Columns
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.partitioning import TOGETHER, partitioning_of
from streamframes.core.sessions.tree import Session, checked_forest
from streamframes.errors import InvalidArgument
from streamframes.options import Stream
from streamframes.spark.columns import analysed, as_column, column, names, require_dataframe
from streamframes.spark.planning.query import checked_source
from streamframes.spark.planning.sessions import SESSION_COMMANDS, SessionQuery
from streamframes.spark.streaming.commands import check_control
from streamframes.spark.types import arrow_type


def plan_sessions(
    rows: object,
    tree: object,
    *,
    ts: Columns,
    measures: Mapping[str, str] | None,
    prefix: str,
    stream: Stream,
) -> tuple[SessionQuery, ...]:
    """Check everything that can be checked before a job starts."""
    roots = checked_forest(tree)
    if measures is not None and not isinstance(measures, Mapping):
        raise InvalidArgument(f"sessions() got measures={measures!r}; give a dict from names to aggregates")
    sources = _sources(rows, roots)
    found = []
    for root, source in zip(roots, sources, strict=True):
        found.append(_planned(source, root, ts, prefix, stream))
    for name, text in (measures or {}).items():
        _owner(found, name, text).planner.add_measure(name, text)
    finished = []
    for each in found:
        kind, keys, why = partitioning_of(each.planner)
        by = tuple(names(list(keys), "key", each.rows, "sessions"))
        each = replace(each, partitioning=kind, by=by, why=why)
        each.output_columns(each.chosen)
        finished.append(each)
    if stream.control is not None:
        if len(finished) > 1:
            raise InvalidArgument("sessions() got control= for several trees; plan each of them on its own")
        finished = [
            replace(each, control=check_control(stream.control, each.rows, SESSION_COMMANDS)) for each in finished
        ]
    return tuple(finished)


def _sources(rows: object, roots: Sequence[Session]) -> list[DataFrame]:
    """The rows of each tree."""
    if not isinstance(rows, Mapping):
        named = [root for root in roots if root.source is not None]
        if named:
            raise InvalidArgument(
                f"sessions() got source={named[0].source!r} for {named[0].name!r} but one table; give "
                "rows={name: table}"
            )
        return [require_dataframe(rows, "sessions")] * len(roots)
    for name, each in rows.items():
        require_dataframe(each, "sessions", f"rows[{name!r}]")
    found = []
    for root in roots:
        if root.source is None and len(rows) == 1:
            found.append(next(iter(rows.values())))
        elif root.source not in rows:
            raise InvalidArgument(
                f"sessions() got source={root.source!r} for {root.name!r}; the sources are {', '.join(rows)}"
            )
        else:
            found.append(rows[root.source])
    return found


def _planned(rows: DataFrame, root: Session, ts: Columns, prefix: str, stream: Stream) -> SessionQuery:
    source = checked_source("sessions", rows, ts, (), prefix, stream)

    def type_of(expression: object, what: str) -> pa.DataType:
        def probe() -> DataFrame:
            return rows.select(as_column(expression).alias("__sf_probe"), *map(column, rows.columns[:1]))

        kind = analysed(rows, probe, expression, what, "sessions()")
        try:
            return arrow_type(kind)
        except InvalidArgument as error:
            raise InvalidArgument(f"{what}: {expression!r} is a {kind.simpleString()}; cast it") from error

    planner = Planner(root, rows.columns, source.ts, arrow_type(rows.schema[source.ts].dataType), source.clock, type_of)
    chosen = tuple(range(len(planner.names)))
    return SessionQuery(**vars(source), root=root, planner=planner, partitioning=TOGETHER, why="", chosen=chosen)


def _owner(found: Sequence[SessionQuery], name: str, text: object) -> SessionQuery:
    """The tree that a measure is about: that of the class it begins with."""
    if len(found) > 1 and isinstance(text, str):
        first = text.split(".", 1)[0].strip()
        for each in found:
            if first in each.planner.names:
                return each
        known = ", ".join(name for each in found for name in each.planner.names)
        raise InvalidArgument(f"measures got {name}={text!r}; it must begin with a class: {known}")
    return found[0]
