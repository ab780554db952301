"""Accuracy: how wrong windows are where frames are exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from streamframes.api.frames import frames
from streamframes.arguments import Columns
from streamframes.core.batch.clock import Duration

if TYPE_CHECKING:
    from streamframes.core.schemes import Count, Every, Threshold
    from streamframes.spark import DataFrame
    from streamframes.spark.scan.scan import Scan


def accuracy(
    rows: DataFrame | Scan,
    scheme: Threshold,
    *,
    windows: Sequence[Duration | Every | Count],
    ts: Columns,
    by: Columns = (),
    value: str | None = None,
    heuristics: Columns = ("min", "max", "avg"),
) -> DataFrame:
    """Compare the frames of a condition with windows that are selected to stand for them.

    A heuristic selects a window if the condition holds for the smallest, the largest or the average value in it.

    Parameters
    ----------
    rows
        A Spark DataFrame, a table, or a `scan()` of files.
    scheme
        A `Threshold` whose condition is text about one value: `Threshold("speed < 40", min_duration="3 minutes")`.
    windows
        Lengths (`"60 seconds"`, or plain numbers where `ts` is an integer), `Every(...)` or `Count(...)`, mixed as
        you like; windows that overlap are refused.
    ts, by
        As in `frames()`.
    value
        What the condition is about: a column or an expression that occurs in it. Not needed where the condition
        names one column only.
    heuristics
        Some of `"min"`, `"max"` and `"avg"`.

    Returns
    -------
    DataFrame
        One row for each length and heuristic, in this order: `window`, `heuristic`, `frames` and `frame_rows` (how
        many, and the rows in them), `windows` and `selected` (how many), `duration_error` (rows that are in a frame
        or in a selected window but not in both), `false_negatives` (percent of frames without a row in a selected
        window) and `false_positives` (percent of selected windows without a row in a frame). A percentage of
        nothing is null.

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 5.
    """
    from streamframes.spark.planning.accuracy import compare

    return compare(frames, rows, scheme, windows=windows, ts=ts, by=by, value=value, heuristics=heuristics)
