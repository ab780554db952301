"""Control: a small stream of commands beside the rows, which changes what is watched while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.packer import Layout
from streamframes.core.operator.commands import COMMANDS, DATA_ROWS, CommandedPlan
from streamframes.core.operator.lookup import completed
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import require_dataframe
from streamframes.spark.streaming.run import identity, punctuation_kind
from streamframes.spark.streaming.stateful import lookup_pieces, pieces_of, stateful
from streamframes.spark.streaming.watermark import WATERMARK, StreamSettings, Watch, event_clock


@dataclass(frozen=True)
class CommandColumns:
    """What commands look like: whose they are, their columns and types, and what to do instead on a table."""

    verb: str
    columns: Mapping[str, str]
    layout: Layout
    listed: str
    instead: str


def check_control(control: object, rows: DataFrame, commands: CommandColumns) -> DataFrame:
    """The stream of commands."""
    got = f"{commands.verb}() got"
    control = require_dataframe(control, commands.verb, "control")
    if not rows.isStreaming:
        raise InvalidArgument(f"{got} control= for a table, of which everything is there; {commands.instead}")
    if not control.isStreaming:
        raise InvalidArgument(f"{got} a table as control=; commands are a stream, like a folder or a topic")
    missing = [name for name in commands.columns if name not in control.columns]
    if missing:
        raise InvalidArgument(f"{got} control= without the column {missing[0]!r}; commands have {commands.listed}")
    watched = [each.name for each in control.schema if WATERMARK in (each.metadata or {})]
    if watched:
        raise InvalidArgument(
            f"{got} control= with a watermark on {watched[0]!r}, which would hold back the rows; leave it out"
        )
    return control


def commanded_results(
    rows: DataFrame,
    columns: Sequence[Column],
    ts: str,
    plan: OperatorPlan,
    buckets: int,
    settings: StreamSettings,
    schema: T.StructType,
    control: DataFrame,
    commands: CommandColumns,
    lookup: DataFrame | None = None,
) -> DataFrame:
    """The results of a plan on a stream with commands: both are packed, united, and meet in one stateful stage."""
    clock = event_clock(plan.clock, [settings.watch])
    data = pieces_of(
        rows, columns, ts, plan.layout, buckets, settings.watch, clock,
        punctuation=punctuation_kind(settings), input_number=DATA_ROWS,
    )  # fmt: skip
    sent = [F.lit(0).cast("long"), *(F.col(name).cast(kind) for name, kind in commands.columns.items())]
    given = pieces_of(
        control, [each.alias(f"__sf_{i}") for i, each in enumerate(sent)], "", commands.layout, buckets, Watch(), clock,
        input_number=COMMANDS, to_all=True,
    )  # fmt: skip
    stream_plan = StreamPlan(plan, identity(plan, buckets, settings, clock), settings.late)
    kind = rows.schema[ts].dataType
    types = plan.lookup
    united, whole = data.union(given), completed(CommandedPlan(stream_plan), types)
    return stateful(united, whole, clock, plan.prefix, schema, kind, lookup_pieces(lookup, types, buckets, clock))
