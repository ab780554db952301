"""Controls: a small stream of orders beside the rows, which changes the windows of a search while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.bursts.plan import BurstPlan
from streamframes.core.bursts.stream import ORDER_LAYOUT, ORDERS, SEARCHED, ControlledPlan
from streamframes.core.stream import StreamPlan
from streamframes.errors import InvalidArgument
from streamframes.spark.session import require_dataframe
from streamframes.spark.stateful import pieces_of, stateful
from streamframes.spark.streams import identity, word_of
from streamframes.spark.watch import WATERMARK, Watch, event_clock

if TYPE_CHECKING:
    from streamframes.spark.bursting import Bursting

_WANTED = ("action", "window", "threshold")


def check_control(control: DataFrame, rows: DataFrame) -> DataFrame:
    """The stream of orders: action, window, threshold."""
    require_dataframe(control, "bursts", "control")
    if not rows.isStreaming:
        raise InvalidArgument("bursts() got control= for a table, of which everything is there; give other windows=")
    if not control.isStreaming:
        raise InvalidArgument("bursts() got a table as control=; orders are a stream, like a folder or a topic")
    missing = [name for name in _WANTED if name not in control.columns]
    if missing:
        raise InvalidArgument(
            f"bursts() got control= without the column {missing[0]!r}; orders have action ('add' or 'remove'), window "
            "and threshold"
        )
    watched = [each.name for each in control.schema if WATERMARK in (each.metadata or {})]
    if watched:
        raise InvalidArgument(
            f"bursts() got control= with a watermark on {watched[0]!r}, which would hold back the rows; leave it out"
        )
    return control


def controlled(
    bursting: Bursting, control: DataFrame, columns: Sequence[Column], plan: BurstPlan, schema: T.StructType
) -> DataFrame:
    """A search in a stream with orders: both are packed, united, and meet in one stateful stage."""
    options, buckets = bursting.options, bursting.n_buckets()
    clock = event_clock(bursting.clock, [options.watch])
    rows = pieces_of(
        bursting.rows, columns, bursting.ts, plan.layout, buckets, options.watch, clock,
        word=word_of(options), side=SEARCHED,
    )  # fmt: skip
    kinds = ("string", "long", "double")
    told = [F.lit(0).cast("long"), *(F.col(name).cast(kind) for name, kind in zip(_WANTED, kinds, strict=True))]
    orders = pieces_of(
        control, [each.alias(f"__sf_{i}") for i, each in enumerate(told)], "", ORDER_LAYOUT, buckets, Watch(), clock,
        side=ORDERS, to_all=True,
    )  # fmt: skip
    searching = StreamPlan(plan, identity(plan, buckets, options, clock), options.late)
    kind = bursting.rows.schema[bursting.ts].dataType
    return stateful(rows.union(orders), ControlledPlan(searching), clock, bursting.prefix, schema, kind)
