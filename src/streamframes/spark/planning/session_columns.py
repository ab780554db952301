"""Columns of sessions: how events travel, which columns results have, and how these are typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from typing import NamedTuple

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.sessions.language.nodes import path_of
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import Value
from streamframes.core.sessions.plan import OutputColumn
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import as_column
from streamframes.spark.types import arrow_type

_PLAIN = {
    pa.int64(): T.LongType(),
    pa.int32(): T.IntegerType(),
    pa.float64(): T.DoubleType(),
    pa.bool_(): T.BooleanType(),
    pa.string(): T.StringType(),
    pa.binary(): T.BinaryType(),
}
# How many conditions a long holds.
_A_LONG = 31


class SentEvents(NamedTuple):
    """The columns of events that travel, where each of the planner's is, and at which bit."""

    columns: list[Column]
    at: tuple[int, ...]
    bits: tuple[int, ...]


def sent_events(planner: Planner, by: tuple[str, ...], n_ties: int) -> SentEvents:
    """How the events of a tree travel.

    Group columns do not travel; conditions share a long, two bits each, because a column costs more than a bit.
    """
    sent: list[Column] = []
    conditions: list[int] = []
    event_at, bits = [0] * len(planner.events), [-1] * len(planner.events)
    keys = {column for each in planner.classes for column in each.keys}
    for i, (each, kind) in enumerate(zip(planner.events, planner.event_types, strict=True)):
        name = each.strip("`").replace("``", "`") if isinstance(each, str) else None
        if name in by:
            event_at[i] = -1 - by.index(name)
        elif pa.types.is_boolean(kind) and i not in keys:
            conditions.append(i)
        else:
            event_at[i] = n_ties + len(sent)
            sent.append(_carried(each, kind))
    for start in range(0, len(conditions), _A_LONG):
        together = conditions[start : start + _A_LONG]
        for place, i in enumerate(together):
            event_at[i], bits[i] = n_ties + len(sent), 2 * place
        sent.append(_flags([as_column(planner.events[i]) for i in together]))
    return SentEvents(sent, tuple(event_at), tuple(bits))


def _flags(conditions: Sequence[Column]) -> Column:
    """Truth values in one long, two bits each: 0 false, 1 true, 2 null."""
    shifted = [
        F.shiftleft(F.coalesce(each.cast("long"), F.lit(2).cast("long")), 2 * i) for i, each in enumerate(conditions)
    ]
    return reduce(lambda a, b: a.bitwiseOR(b), shifted)


def _carried(expression: object, kind: pa.DataType) -> Column:
    """An expression as it travels: decimals are doubles."""
    made = as_column(expression)
    return made.cast("double") if pa.types.is_decimal(kind) else made


def spark_type(kind: pa.DataType, known: Iterable[T.DataType | None]) -> T.DataType:
    """The Spark type of an Arrow type: the first of the known ones that is carried so, or a plain one."""
    same = next((each for each in known if each is not None and arrow_type(each) == kind), None)
    return same or _PLAIN.get(kind) or T.ArrayType(T.LongType())


def output_columns(
    planner: Planner, chosen: Sequence[int], by: Sequence[str], key_names: Callable[[Session], tuple[str, ...]]
) -> tuple[OutputColumn, ...]:
    """The columns of sessions beside those that all frames have: keys, attributes, own aggregates."""
    nodes: dict[str, list[tuple[int, int]]] = {}
    for cls in chosen:
        for above in reversed(path_of(planner.classes, cls)):
            for name in key_names(planner.sessions[above]):
                if name not in by:
                    node = planner.opening(above, name, f"key of {planner.names[above]!r}")
                    nodes.setdefault(name, []).append((cls, node))
        for name, node in planner.attributes[cls].items():
            nodes.setdefault(_as_written(planner.sessions[cls], name), []).append((cls, node))
        for measure in planner.measures:
            if planner.nodes[measure.node].cls == cls:
                nodes.setdefault(measure.name, []).append((cls, measure.node))
    return tuple(_output_column(planner, name, each) for name, each in nodes.items())


def _as_written(each: Session, name: str) -> str:
    """The name of an attribute in the spelling of the user."""
    own = (*each.attributes, *(each.on_open or ()), *(each.on_close or ()))
    return str(next(n for n in own if n.lower() == name))


def _output_column(planner: Planner, name: str, nodes: Sequence[tuple[int, int]]) -> OutputColumn:
    owners = [planner.names[cls] for cls, _ in nodes]
    if len(set(owners)) < len(owners):
        raise InvalidArgument(
            f"sessions() has two values called {name!r} in {owners[0]}; rename the attribute or the measure"
        )
    kinds = {(planner.nodes[node].type, planner.arrow[node]) for _, node in nodes}
    if len(kinds) > 1:
        raise InvalidArgument(
            f"sessions() has {name!r} in {', '.join(owners)}, with different types; rename one, or ask for one "
            f"class: .sessions({owners[0]!r})"
        )
    ((kind, arrow),) = kinds
    return OutputColumn(name, arrow, kind, tuple((cls, Value(node, kind)) for cls, node in nodes))
