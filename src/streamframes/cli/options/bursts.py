"""Options of `streamframes bursts`: the windows, what they must reach, and how they are searched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Literal

import typer

from streamframes.cli.options.common import PICTURE, RESULT, Format, PictureOptions, ResultOptions, option

Shown = Literal["alarms", "runs", "latest", "any", "thresholds"]

_WINDOWS = "Windows"
_THRESHOLDS = "Thresholds (give one of --threshold, --threshold-per-row, --thresholds, --train-rows)"
_SEARCH = "Search"


@dataclass(frozen=True)
class ValueOptions:
    """Files of rows, and the value that is aggregated."""

    input: Annotated[
        str,
        typer.Argument(
            help="Parquet, CSV (with a header) or JSON lines: a file, a folder or a glob in quotes; .gz too.",
            metavar="INPUT",
            show_default=False,
        ),
    ]
    value: Annotated[
        str | None,
        typer.Argument(
            help="What is aggregated: a column, or Spark SQL; for --agg count the condition that is counted, or "
            "nothing to count rows by --unit.",
            metavar="[VALUE]",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class WindowOptions:
    """Which windows are watched, and of what."""

    windows: Annotated[
        str | None,
        option(
            _WINDOWS,
            "Lengths in rows: '4:400:4' is 4, 8, ... up to and with 400; '10,60,300' is a list; both can be mixed. "
            "With --unit they count units, and may be durations: '10 seconds,5 minutes'.",
            metavar="LENGTHS",
        ),
    ] = None
    aggregate: Annotated[
        Literal["sum", "avg", "variance", "count", "min", "max"],
        option(_WINDOWS, "What of the value: sum (the default), avg, variance, count, min or max.", "--agg"),
    ] = "sum"
    unit: Annotated[
        str | None,
        option(_WINDOWS, "Sum (count) rows into units of time first; one without rows is 0.", metavar="DURATION"),
    ] = None


@dataclass(frozen=True)
class ThresholdOptions:
    """What windows must reach."""

    threshold: Annotated[
        list[str],
        option(_THRESHOLDS, "A window and what it must reach, like '60=9000'; repeatable.", metavar="WINDOW=NUMBER"),
    ] = field(default_factory=list)
    threshold_per_row: Annotated[
        float | None,
        option(
            _THRESHOLDS,
            "For each row (unit) of a window: sum and count must reach this times the length, others this.",
            metavar="NUMBER",
        ),
    ] = None
    thresholds: Annotated[
        str | None,
        option(
            _THRESHOLDS,
            "A file with the columns window, threshold and those of --by, as --show thresholds writes it.",
            metavar="FILE",
        ),
    ] = None
    thresholds_format: Annotated[
        Format | None, option(_THRESHOLDS, "Format of FILE, where its ending does not say it.")
    ] = None
    train_rows: Annotated[
        int | None,
        option(_THRESHOLDS, "Learn them from the first rows (units) of each group, which raise no alarms."),
    ] = None
    sigmas: Annotated[
        float | None,
        option(_THRESHOLDS, "--train-rows: how many standard deviations above the mean; 7 unless given."),
    ] = None


@dataclass(frozen=True)
class SearchOptions:
    """How windows are searched."""

    search: Annotated[
        Literal["exact", "all", "monotonic"] | None,
        option(
            _SEARCH,
            "exact; all: every window, in histograms of bounded size; monotonic: bisection, an approximation. Exact "
            "unless the longest window is longer than 100,000.",
        ),
    ] = None
    error: Annotated[
        float | None,
        option(_SEARCH, "all, monotonic: the relative error of a sum; 0.01 unless given.", metavar="SHARE"),
    ] = None
    error_side: Annotated[
        Literal["never_miss", "never_false"] | None,
        option(_SEARCH, "all, monotonic: estimate too high (never_miss, the default) or too low."),
    ] = None


@dataclass(frozen=True)
class BurstResultOptions(ResultOptions):
    """Which result, and what to do with it."""

    show: Annotated[
        Shown,
        option(
            RESULT,
            "alarms (the default); runs: consecutive alarms of a window as frames; latest: of each row the longest "
            "and the most exceeded window; any: the rows with alarms; thresholds: those that are learnt.",
            "--show",
        ),
    ] = "alarms"
    first: Annotated[int, option(RESULT, "Without --output: how many rows to print.", "--first", metavar="ROWS")] = 20


@dataclass(frozen=True)
class BurstPictureOptions(PictureOptions):
    """What to draw."""

    plot_value: Annotated[str | None, option(PICTURE, "The signal; else VALUE, by --unit.", metavar="SQL")] = None
    plot_group: Annotated[
        list[str],
        option(PICTURE, "Value of --by, repeated in its order; else the group with most results.", metavar="VALUE"),
    ] = field(default_factory=list)
