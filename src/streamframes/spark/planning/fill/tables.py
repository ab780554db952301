"""Filling tables: chunks of frames and of rows meet in the partition of their bucket, and are filled there."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import FRAMES, ROWS
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.spark.batch.pack import packing
from streamframes.spark.batch.reduce import reduced
from streamframes.spark.buckets import n_buckets
from streamframes.spark.columns import as_column, column
from streamframes.spark.planning.fill.query import FillQuery
from streamframes.spark.planning.frame_tables import some_instant
from streamframes.spark.planning.measures import grouped
from streamframes.spark.planning.run import pieces

# Group and edges of a frame, on which all of its measures depend, where Spark must bring rows and frames together.
_IDENTITY = ("__sf_first", "__sf_second")


def fill_table(frames: DataFrame, filling: FillQuery) -> DataFrame:
    """The frames of a table with measures of the rows they hold, or the rows with the ids of their frames."""
    if filling.is_tagging:
        return _pass(frames, filling, tags=True)
    if not filling.others:
        return _pass(frames, filling, tags=False)
    return _with_others(frames, filling)


def _pass(frames: DataFrame, filling: FillQuery, *, tags: bool) -> DataFrame:
    columns, plan = filling.planned(tags=tags)
    buckets = n_buckets(frames.sparkSession) if filling.by else 1
    ours = pieces(
        frame_columns(frames, filling, plan),
        plan.frame_layout,
        packing(plan.frame_layout, buckets, input_number=FRAMES),
    )
    theirs = pieces(filling.rows.select(*columns), plan.layout, packing(plan.layout, buckets, input_number=ROWS))
    schema = filling.result_types(tags=tags)
    return reduced(ours.union(theirs), buckets, partial(bucket_results, plan), schema)


def frame_columns(frames: DataFrame, filling: FillQuery, plan: FillPlan) -> DataFrame:
    """The frames as they are packed: groups, an instant to be sorted by, and all columns."""
    start, end = (column(f"{filling.prefix}{name}") for name in ("start", "end"))
    sorted_by = F.coalesce(start, end, some_instant(frames.schema[f"{filling.prefix}start"].dataType))
    chosen = [*map(column, filling.by), sorted_by, *map(column, plan.frames.names)]
    return frames.select(*(each.alias(f"__sf_{i}") for i, each in enumerate(chosen)))


def _with_others(frames: DataFrame, filling: FillQuery) -> DataFrame:
    """Measures that only Spark knows: rows are tagged and grouped, and joined to the frames with the other measures."""
    edges = [f"{filling.prefix}start", f"{filling.prefix}end", *(edge for pair in filling.space for edge in pair[:2])]
    values = [part for name in (*filling.by, *edges) for part in (column(name), column(name).isNull())]
    hashes = (F.xxhash64(*values), F.xxhash64(F.lit(1), *values))
    named = frames.select("*", *(each.alias(name) for name, each in zip(_IDENTITY, hashes, strict=True)))
    filling = replace(filling, frames=named.schema)
    mine = _pass(named, filling, tags=False)
    tagging = replace(filling, frame_columns=_IDENTITY)
    tagged = _pass(named.dropDuplicates(list(_IDENTITY)), tagging, tags=True)
    others = grouped(tagged, _IDENTITY, [filling.ts, *filling.ties], {**filling.others, "__sf_there": F.lit(True)})
    nothing = {f"__sf_none_{i}": as_column(each) for i, each in enumerate(filling.others.values())}
    of_none = filling.rows.limit(0).agg(*(each.alias(name) for name, each in nothing.items()))
    joined = mine.join(others, list(_IDENTITY), "left").crossJoin(F.broadcast(of_none))
    in_rows = {
        name: F.when(column("__sf_there"), column(name)).otherwise(column(f"__sf_none_{i}")).alias(name)
        for i, name in enumerate(filling.others)
    }
    if not filling.keep_empty:
        joined = joined.filter(column("__sf_there"))
    return joined.select(*map(column, frames.columns), *(in_rows.get(name, column(name)) for name in filling.names))
