"""Controls: a small stream of orders beside the rows, which changes what is watched while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.packer import Layout
from streamframes.core.bursts.commands import ORDER_LAYOUT as BURST_LAYOUT
from streamframes.core.operator.bucket_stream import StreamPlan
from streamframes.core.operator.commands import COMMANDS, DATA_ROWS, CommandedPlan
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.sessions.commands import ORDER_LAYOUT as SESSION_LAYOUT
from streamframes.errors import InvalidArgument
from streamframes.spark.planning.source import FrameSource
from streamframes.spark.session import require_dataframe
from streamframes.spark.streaming.run import identity, word_of
from streamframes.spark.streaming.stateful import pieces_of, stateful
from streamframes.spark.streaming.watermark import WATERMARK, Watch, event_clock


@dataclass(frozen=True)
class Orders:
    """What orders look like: whose they are, their columns and types, and what to do instead on a table."""

    verb: str
    columns: Mapping[str, str]
    layout: Layout
    told: str
    instead: str


BURST_ORDERS = Orders(
    "bursts",
    {"action": "string", "window": "long", "threshold": "double"},
    BURST_LAYOUT,
    "action ('add' or 'remove'), window and threshold",
    "give other windows=",
)
SESSION_ORDERS = Orders(
    "sessions",
    {"action": "string", "name": "string", "expression": "string"},
    SESSION_LAYOUT,
    "action ('add' or 'drop'), name and expression",
    "give other measures=",
)


def check_control(control: DataFrame, rows: DataFrame, orders: Orders) -> DataFrame:
    """The stream of orders."""
    got = f"{orders.verb}() got"
    require_dataframe(control, orders.verb, "control")
    if not rows.isStreaming:
        raise InvalidArgument(f"{got} control= for a table, of which everything is there; {orders.instead}")
    if not control.isStreaming:
        raise InvalidArgument(f"{got} a table as control=; orders are a stream, like a folder or a topic")
    missing = [name for name in orders.columns if name not in control.columns]
    if missing:
        raise InvalidArgument(f"{got} control= without the column {missing[0]!r}; orders have {orders.told}")
    watched = [each.name for each in control.schema if WATERMARK in (each.metadata or {})]
    if watched:
        raise InvalidArgument(
            f"{got} control= with a watermark on {watched[0]!r}, which would hold back the rows; leave it out"
        )
    return control


def controlled(
    source: FrameSource,
    control: DataFrame,
    orders: Orders,
    columns: Sequence[Column],
    plan: OperatorPlan,
    schema: T.StructType,
) -> DataFrame:
    """A stream with orders: both are packed, united, and meet in one stateful stage."""
    options, buckets = source.options, source.n_buckets()
    clock = event_clock(source.clock, [options.watch])
    rows = pieces_of(
        source.rows, columns, source.ts, plan.layout, buckets, options.watch, clock,
        word=word_of(options), side=DATA_ROWS,
    )  # fmt: skip
    told = [F.lit(0).cast("long"), *(F.col(name).cast(kind) for name, kind in orders.columns.items())]
    given = pieces_of(
        control, [each.alias(f"__sf_{i}") for i, each in enumerate(told)], "", orders.layout, buckets, Watch(), clock,
        side=COMMANDS, to_all=True,
    )  # fmt: skip
    watching = StreamPlan(plan, identity(plan, buckets, options, clock), options.late)
    kind = source.rows.schema[source.ts].dataType
    return stateful(rows.union(given), CommandedPlan(watching), clock, source.prefix, schema, kind)
