"""The operator of patterns at work without Spark: rows in, results as dicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows, TagColumn
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator
from streamframes.core.patterns.operator import PatternPlan
from streamframes.core.patterns.resolve import PatternText, resolve
from streamframes.core.sparksql import translate

SCHEMA = pa.schema([("ts", pa.int64()), ("x", pa.int64()), ("y", pa.float64()), ("k", pa.string())])
KEYS = pa.schema([("k", pa.string())])
TAGS = (TagColumn("k", "key", 0, pa.string()), TagColumn("ts", "ts", 0, pa.int64()))


def plan_of(
    pattern: str,
    define: Mapping[str, str],
    measures: Mapping[str, str] | None = None,
    *,
    subset: Mapping[str, Sequence[str]] | None = None,
    rows_per_match: str = "one",
    after_match: str = "past last row",
    within: int | None = None,
    timeouts: bool = False,
) -> tuple[PatternPlan, tuple[str, ...], Mapping[str, str]]:
    """The plan of a pattern over rows of SCHEMA, the expressions that travel, and the measures as texts."""
    text = PatternText(pattern, define, measures or {}, subset or {}, rows_per_match, after_match)
    found = resolve(text, SCHEMA.names, lambda expression, what: translate(expression, SCHEMA).type)
    plan = PatternPlan(
        clock=Clock("integer"),
        keys=KEYS,
        ts_type=pa.int64(),
        columns=tuple(translate(each, SCHEMA).type for each in found.expressions),
        ts="ts",
        spelling=repr(text),
        pattern=found.pattern,
        names=found.names,
        definitions=found.definitions,
        inputs=found.inputs,
        leaves=found.leaves,
        leaf_inputs=found.leaf_inputs,
        measured=found.measured,
        skip=found.skip,
        skip_mask=found.skip_mask,
        within=within,
        timeouts=timeouts,
        rows_per_match=rows_per_match,
        tags=TAGS if rows_per_match != "one" else (),
    )
    return plan, found.expressions, found.measures


def rows_of(operator: Operator, expressions: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> Rows:
    """Rows, sorted by group, under the numbers of the operator."""
    batch = pa.RecordBatch.from_pylist(list(rows), schema=SCHEMA)
    keys = sorted({row["k"] for row in rows})
    groups = pa.RecordBatch.from_arrays([pa.array(keys, pa.string())], schema=KEYS)
    numbers = operator.groups.numbers(*fingerprints(groups.columns, len(keys)), groups)
    sizes = [sum(row["k"] == key for row in rows) for key in keys]
    ts = np.array([row["ts"] for row in rows], np.int64)
    columns = [translate(each, SCHEMA).evaluate(batch) for each in expressions]
    return Rows(numbers, np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64), ts, columns)


def results(
    plan: PatternPlan,
    expressions: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
    cuts: Sequence[int] = (),
    *,
    live: bool = False,
    end: bool = True,
) -> list[dict[str, Any]]:
    """The results of rows that come up to each cut, and then to the end."""
    operator, found = plan.operator(live=live), []
    if rows and end:
        operator.end_of_data(max(row["ts"] for row in rows))
    bounds = [-(10**9), *cuts, 10**9]
    for low, high in pairwise(bounds):
        some = [row for row in rows if low <= row["ts"] < high]
        batch = rows_of(operator, expressions, some)
        last = high == bounds[-1]
        watermarks = np.full(len(operator.groups), high) if live and not last else NO_WATERMARKS
        if not last or len(batch):
            found += list(operator.feed(batch, watermarks))
    if end:
        found += list(operator.finish())
    return [row for batch in found for row in batch.to_pylist()]
