"""Random worlds, carried to the operator: as a plan of its own, as rows, and beside the reference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows, TagColumn
from streamframes.core.schemes.folds import Fold
from streamframes.core.sessions.language.terms import Value
from streamframes.core.sessions.operator import SessionOperator, SessionPlan
from streamframes.core.sessions.partitioning import TOGETHER
from streamframes.core.sessions.plan import OutputColumn
from tests.core.sessions.worlds import Fading, Plan, mean_of_two
from tests.oracles.sessions import Reference

ARROW = {
    "long": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "text": pa.string(),
    "instant": pa.timestamp("us"),
    "duration": pa.int64(),
}
FUNCTIONS = (mean_of_two, Fold("value", Fading.start, Fading.add, Fading.result))


def plan_of(plan: Plan, output: str, **more: Any) -> SessionPlan:
    """A plan for all events in one place, which shows every node."""
    n = len(plan.columns)
    columns = tuple(
        OutputColumn(f"n{i}", ARROW[node.type], node.type, ((node.cls, Value(i, node.type)),))
        for i, node in enumerate(plan.nodes)
    )
    # A number for each event breaks ties, so that the order is the one of the log.
    settings: dict[str, Any] = {
        "clock": Clock("integer"),
        "keys": pa.schema([]),
        "ts_type": pa.int64(),
        "columns": (pa.int64(), *(ARROW[kind] for kind in plan.columns)),
        "ts": "ts",
        "classes": tuple(plan.classes),
        "nodes": tuple(plan.nodes),
        "measures": tuple(plan.measures),
        "event_at": tuple(range(1, n + 1)),
        "grouped": (),
        "functions": FUNCTIONS,
        "n_ties": 1,
        "partitioning": TOGETHER,
        "output": output,
        "chosen": tuple(range(len(plan.classes))),
        "output_columns": columns,
        "tags": (TagColumn("number", "column", 0, pa.int64()),),
        "keep_outside": True,
    }
    return SessionPlan(**{**settings, **more})


def rows_of(plan: Plan, log: Any, first: int = 0) -> Rows:
    """A log as rows of one group."""
    n = len(log)
    columns = [pa.array(range(first, first + n), pa.int64())]
    for i, kind in enumerate(plan.columns):
        values = [event[i] for _, event in log]
        columns.append(pa.array(values, ARROW[kind] if kind != "instant" else pa.int64()).cast(ARROW[kind]))
    ts = np.array([ts for ts, _ in log], np.int64)
    return Rows(np.zeros(min(n, 1), np.int64), np.array([0, n] if n else [0]), ts, columns)


def known_group(operator: SessionOperator) -> SessionOperator:
    """All events are one group, which is known."""
    first, second = fingerprints([], 1)
    operator.groups.numbers(first, second, pa.RecordBatch.from_arrays([], schema=pa.schema([])))
    return operator


def reference_of(plan: Plan, log: Any, *, ended: bool = True) -> Reference:
    """The reference after a log."""
    reference = Reference(plan.classes, plan.nodes, plan.measures, 1.0, (mean_of_two, Fading))
    reference.feed(log)
    if ended:
        reference.finish()
    return reference
