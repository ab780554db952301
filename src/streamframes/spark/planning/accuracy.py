"""Accuracy of windows: every row is tagged with its frame and its window, and rows are counted.

rows ─ tag with frames ─ tag with windows ─ pieces: what a window and a frame share
                                            windows: their pieces and values, selected or not
                                            frames: met by a selected window or not
                                            one row of totals
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any, cast

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from streamframes.core.schemes import Scheme, Threshold
from streamframes.core.schemes.base import Input
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import as_column, clock_of, column, names, require_dataframe, scheme_input
from streamframes.spark.planning.comparison import (
    Subject,
    check_heuristics,
    check_windows,
    require_condition,
    subject_of,
)

FRAME, WINDOW = "__sf_frame_id", "__sf_window_id"
Verb = Callable[..., Any]


def compare(
    frames: Verb,
    rows: Any,
    scheme: Threshold,
    *,
    windows: Sequence[Any],
    ts: str | Sequence[str],
    by: str | Sequence[str],
    value: str | None,
    heuristics: str | Sequence[str],
) -> DataFrame:
    """Check everything that can be checked before a job starts, and plan the comparison; `frames` is the verb."""
    require_dataframe(rows, "accuracy")
    if rows.isStreaming:
        raise InvalidArgument("accuracy() got a stream; write its rows to a table and compare that")
    require_condition(scheme)
    order, groups = names(ts, "ts", rows, "accuracy"), names(by, "by", rows, "accuracy")
    if not order:
        raise InvalidArgument(f"accuracy() got ts={ts!r}; name the column that orders the rows")
    clock = clock_of(rows.schema[order[0]].dataType, order[0], "accuracy")
    scheme.limits(clock)
    lengths = check_windows(windows, clock)
    chosen = check_heuristics(heuristics)
    subject = subject_of(str(scheme.where), value, rows.columns)
    tagged = _framed(frames, _needed(rows, scheme, subject, order, groups), scheme)
    parts = [_figures(_windowed(frames, tagged, each), subject, chosen, name) for name, each in lengths]
    return reduce(lambda one, other: one.unionAll(other), parts)


def _needed(rows: DataFrame, scheme: Threshold, subject: Subject, order: list[str], groups: list[str]) -> DataFrame:
    """What the comparison needs of each row, under names that clash with nothing."""
    conditions = [scheme_input(rows, needed, "Threshold").alias(f"__sf_{needed.name}") for needed in scheme.inputs()]
    value = scheme_input(rows, Input("value", subject.value, "number"), "accuracy()")
    return rows.select(
        *(column(name).alias(f"__sf_by{i}") for i, name in enumerate(groups)),
        *(column(name).alias(f"__sf_ts{i}") for i, name in enumerate(order)),
        *conditions,
        value.alias("__sf_value"),
    )


def _framed(frames: Verb, rows: DataFrame, scheme: Threshold) -> DataFrame:
    """The rows with the ids of their frames."""
    until = None if scheme.until is None else "__sf_until"
    named = replace(scheme, where="__sf_where", until=until)
    return _tagged(frames, rows, named, _columns(rows, "ts"), "__sf_frame_")


def _windowed(frames: Verb, rows: DataFrame, window: Scheme) -> DataFrame:
    """The rows with the ids of their windows, which see rows of one instant in the order that frames saw."""
    order = [name for prefix in ("ts", "where", "until", "value") for name in _columns(rows, prefix)]
    return _tagged(frames, rows, window, order, "__sf_window_")


def _tagged(frames: Verb, rows: DataFrame, scheme: Scheme, order: list[str], prefix: str) -> DataFrame:
    found = frames(rows, scheme, ts=order, by=_columns(rows, "by"), prefix=prefix).tag(keep_outside=True)
    return cast(DataFrame, found)


def _columns(rows: DataFrame, what: str) -> list[str]:
    return [name for name in rows.columns if name.startswith(f"__sf_{what}")]


def _figures(tagged: DataFrame, subject: Subject, heuristics: Sequence[str], window: str) -> DataFrame:
    """One row for each heuristic."""
    totals = _totals(_selected(_windows(tagged), subject, heuristics), heuristics)
    figures = [F.struct(F.lit(name).alias("heuristic"), *_row(name)) for name in heuristics]
    each = totals.select(F.explode(F.array(*figures)).alias("figure"))
    return each.select(F.lit(window).alias("window"), "figure.*")


def _windows(tagged: DataFrame) -> DataFrame:
    """One row for each window: its rows, those in frames, its values, and the frames that it meets."""
    groups = _columns(tagged, "by")
    value = F.col("__sf_value")
    pieces = tagged.groupBy(*groups, WINDOW, FRAME).agg(
        F.count("*").alias("rows"),
        F.count(value).alias("values"),
        F.min(value).alias("min"),
        F.max(value).alias("max"),
        F.sum(value.cast("double")).alias("sum"),
    )
    in_frames = F.when(F.col(FRAME).isNotNull(), F.col("rows")).otherwise(0)
    return pieces.groupBy(*groups, WINDOW).agg(
        F.sum("rows").alias("__sf_rows"),
        F.sum(in_frames).alias("__sf_in_frames"),
        F.min("min").alias("__sf_min"),
        F.max("max").alias("__sf_max"),
        F.try_divide(F.sum("sum"), F.sum("values")).alias("__sf_avg"),
        F.collect_list(FRAME).alias("__sf_frames"),
    )


def _selected(windows: DataFrame, subject: Subject, heuristics: Sequence[str]) -> DataFrame:
    """Which windows each heuristic selects: the condition is evaluated on one of their values."""
    for name in heuristics:
        probed = windows.withColumn(subject.name, F.col(f"__sf_{name}"))
        holds = F.coalesce(as_column(subject.condition), F.lit(False)) & F.col(WINDOW).isNotNull()
        kept = [column(each) for each in windows.columns if each != subject.name]
        windows = probed.select(*kept, holds.alias(f"__sf_selected_{name}"))
    return windows


def _totals(windows: DataFrame, heuristics: Sequence[str]) -> DataFrame:
    """One row: what windows add up to, and how many frames were met.

    A window's own figures go with the first of its frames, so that one grouping by frame does for both.
    """
    groups = _columns(windows, "by")
    each = windows.select("*", F.posexplode_outer("__sf_frames").alias("place", FRAME))
    own = F.coalesce(F.col("place"), F.lit(0)) == 0
    met = {f"met_{name}": F.max(f"__sf_selected_{name}") for name in heuristics}
    sums = {name: F.sum(F.when(own, figure).otherwise(0)) for name, figure in _window_figures(heuristics).items()}
    frames = each.groupBy(*groups, FRAME).agg(*(made.alias(name) for name, made in {**met, **sums}.items()))
    is_frame = F.col(FRAME).isNotNull()
    missed = {f"missed_{name}": F.count_if(is_frame & ~F.col(f"met_{name}")) for name in heuristics}
    totals = {name: F.coalesce(F.sum(name), F.lit(0)) for name in sums}
    counted = {"frames": F.count(FRAME), **totals, **missed}
    return frames.agg(*(made.alias(name) for name, made in counted.items()))


def _window_figures(heuristics: Sequence[str]) -> dict[str, Column]:
    rows, in_frames = F.col("__sf_rows"), F.col("__sf_in_frames")
    figures = {"frame_rows": in_frames, "windows": F.col(WINDOW).isNotNull().cast("long")}
    for name in heuristics:
        selected = F.col(f"__sf_selected_{name}")
        figures[f"selected_{name}"] = selected.cast("long")
        figures[f"alone_{name}"] = (selected & (in_frames == 0)).cast("long")
        figures[f"error_{name}"] = F.when(selected, rows - in_frames).otherwise(in_frames)
    return figures


def _row(heuristic: str) -> list[Column]:
    """The figures of one heuristic, out of the totals."""

    def percent(part: str, whole: str) -> Column:
        return F.try_divide(100.0 * F.col(part), F.col(whole))

    return [
        F.col("frames"),
        F.col("frame_rows"),
        F.col("windows"),
        F.col(f"selected_{heuristic}").alias("selected"),
        F.col(f"error_{heuristic}").alias("duration_error"),
        percent(f"missed_{heuristic}", "frames").alias("false_negatives"),
        percent(f"alone_{heuristic}", f"selected_{heuristic}").alias("false_positives"),
    ]
