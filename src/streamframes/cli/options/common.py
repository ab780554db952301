"""Options of commands that find frames, in the groups in which their help shows them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

Format = Literal["parquet", "csv", "json"]


def option(panel: str, help: str, *names: str, metavar: str | None = None) -> object:
    """An option in a panel of the help."""
    return typer.Option(*names, help=help, metavar=metavar, rich_help_panel=panel, show_default=False)


_ROWS = "Rows"
_SPARK = "Spark"
_SCHEME = "Scheme (give exactly one)"
_DETAILS = "Details of one scheme"
_EVERY = "Options of every scheme"
_SCHEDULE = "Reporting schedule"
RESULT = "Result"
PICTURE = "Picture"


@dataclass(frozen=True)
class InputOptions:
    """Files of rows."""

    inputs: Annotated[
        list[str],
        typer.Argument(
            help="Parquet, CSV (with a header) or JSON lines: files, folders or globs; .gz too.",
            metavar="INPUT",
            show_default=False,
        ),
    ]


@dataclass(frozen=True)
class OrderOptions:
    """In which order rows are."""

    ts: Annotated[
        list[str],
        option(_ROWS, "Column that orders rows; repeat it for columns that break ties.", "--ts", metavar="COLUMN"),
    ]


@dataclass(frozen=True)
class GroupOptions(OrderOptions):
    """In which order and groups rows are."""

    by: Annotated[
        list[str],
        option(_ROWS, "Group column; repeatable. Frames never span groups.", "--by", metavar="COLUMN"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class SparkOptions:
    """Where Spark runs, and with which settings."""

    master: Annotated[
        str | None,
        option(_SPARK, "Where Spark runs, like 'spark://host:7077'; else all cores here.", metavar="URL"),
    ] = None
    remote: Annotated[str | None, option(_SPARK, "A Connect server, like 'sc://host:15002'.", metavar="URL")] = None
    conf: Annotated[
        list[str],
        option(_SPARK, "A setting, like 'spark.executor.memory=4g'; repeatable.", metavar="KEY=VALUE"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class ReadingOptions(SparkOptions):
    """How rows are read."""

    input_format: Annotated[Format | None, option(_ROWS, "Format of INPUT, where its ending does not say it.")] = None
    derive: Annotated[
        list[str],
        option(
            _ROWS,
            "A further column of INPUT, like 't=to_timestamp(time)'; repeatable.",
            "--with",
            metavar="NAME=SQL",
        ),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class SourceOptions(ReadingOptions, GroupOptions):
    """In which order and groups rows are, and how they are read."""


@dataclass(frozen=True)
class EventOptions(ReadingOptions, OrderOptions):
    """In which order rows are, and how they are read, where conditions say what belongs together."""


@dataclass(frozen=True)
class SchemeOptions:
    """Where to cut."""

    threshold: Annotated[str | None, option(_SCHEME, "While a condition holds: 'drop_pct > 0.3'.", metavar="SQL")] = (
        None
    )
    delta: Annotated[
        list[str],
        option(
            _SCHEME,
            "While a value moves less: 'density < 0.1', or until it moved more: 'x >= 5'; repeatable.",
            metavar="SQL",
        ),
    ] = field(default_factory=list)
    boundary: Annotated[
        list[str],
        option(
            _SCHEME,
            "Within one grid cell: 'x=4.25' (step), 'y=0,10,25' (lines); repeatable.",
            metavar="SQL=LINES",
        ),
    ] = field(default_factory=list)
    aggregate: Annotated[
        str | None,
        option(_SCHEME, "Until an aggregate of the frame passes: 'sum(volume) >= 25'.", metavar="SQL"),
    ] = None
    change: Annotated[list[str], option(_SCHEME, "While a state stays the same; repeatable.", metavar="SQL")] = field(
        default_factory=list
    )
    gap: Annotated[
        str | None, option(_SCHEME, "Sessions: until no row comes for longer than this.", metavar="DURATION")
    ] = None
    every: Annotated[str | None, option(_SCHEME, "Windows of this length.", metavar="DURATION")] = None
    count: Annotated[int | None, option(_SCHEME, "Windows of this many rows.", metavar="ROWS")] = None

    until: Annotated[
        str | None, option(_DETAILS, "--threshold: an open frame lasts until this holds.", metavar="SQL")
    ] = None
    merge_gap: Annotated[
        str | None, option(_DETAILS, "--threshold: join frames at most this far apart.", metavar="DURATION")
    ] = None
    gaps: Annotated[bool, option(_DETAILS, "--threshold: the periods between frames are frames too.", "--gaps")] = False
    base: Annotated[
        Literal["range", "first", "previous"] | None,
        option(_DETAILS, "--delta: moved within the frame (range, the default), from its first or last row."),
    ] = None
    slide: Annotated[
        str | None,
        option(_DETAILS, "--every, --count: distance between starts of windows.", metavar="DURATION or ROWS"),
    ] = None

    min_rows: Annotated[int | None, option(_EVERY, "Drop frames with fewer rows.")] = None
    min_duration: Annotated[str | None, option(_EVERY, "Drop frames that last less.", metavar="DURATION")] = None
    max_rows: Annotated[int | None, option(_EVERY, "Cut frames after this many rows.")] = None
    max_duration: Annotated[str | None, option(_EVERY, "Cut frames that would last longer.", metavar="DURATION")] = None
    max_gap: Annotated[str | None, option(_EVERY, "Cut frames where rows are further apart.", metavar="DURATION")] = (
        None
    )
    nulls: Annotated[
        Literal["skip", "break"] | None,
        option(_EVERY, "What a null value does: leave its row out, or also end the frame."),
    ] = None


@dataclass(frozen=True)
class ScheduleOptions:
    """When reports are expected."""

    schedule: Annotated[str | None, option(_SCHEDULE, "Reports are expected this often.", metavar="DURATION")] = None
    schedule_offset: Annotated[
        str | None, option(_SCHEDULE, "Phase of the schedule, from the epoch.", metavar="DURATION")
    ] = None
    jitter: Annotated[str | None, option(_SCHEDULE, "How much a report may be early or late.", metavar="DURATION")] = (
        None
    )
    missing: Annotated[
        Literal["ends", "holds", "true", "false"] | None,
        option(
            _SCHEDULE, "What a missing report does to the frame (ends it, the default), or counts as (--threshold)."
        ),
    ] = None
    open_on: Annotated[
        Literal["any", "real"] | None,
        option(_SCHEDULE, "real: a made-up report opens no frame (any, the default: it may)."),
    ] = None


@dataclass(frozen=True)
class MeasureOptions:
    """What is wanted of the rows in a frame."""

    agg: Annotated[
        list[str],
        option(RESULT, "A measure over each frame, like 'worst=max(x)'; repeatable.", metavar="NAME=SQL"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class TagOptions:
    """Whether the rows are wanted."""

    tag: Annotated[bool, option(RESULT, "The rows with the id of their frame, not the frames.", "--tag")] = False
    keep_outside: Annotated[
        bool, option(RESULT, "--tag: rows in no frame too, with an empty id.", "--keep-outside")
    ] = False


@dataclass(frozen=True)
class DeliveryOptions:
    """Where results go."""

    output: Annotated[
        str | None,
        option(RESULT, "Write one file (.parquet, .csv, .json) or, without an ending, a folder of files.", "--output",
               "-o", metavar="PATH"),
    ] = None  # fmt: skip
    output_format: Annotated[Format | None, option(RESULT, "Format of PATH, where its ending does not say it.")] = None
    overwrite: Annotated[bool, option(RESULT, "Replace PATH if it exists.", "--overwrite")] = False
    first: Annotated[int, option(RESULT, "Without --output: how many rows to print.", "--show", metavar="ROWS")] = 20


@dataclass(frozen=True)
class ResultOptions(DeliveryOptions):
    """What to do with the results."""

    prefix: Annotated[str, option(RESULT, "What names of frame columns begin with.", metavar="TEXT")] = "frame_"
    explain: Annotated[bool, option(RESULT, "Print the plan and the steps, and run nothing.", "--explain")] = False


@dataclass(frozen=True)
class PictureOptions:
    """What to draw."""

    plot: Annotated[
        Path | None, option(PICTURE, "Draw the frames of one group: .png, .svg or .html.", metavar="FILE")
    ] = None
    plot_value: Annotated[str | None, option(PICTURE, "The signal; else what the scheme looks at.", metavar="SQL")] = (
        None
    )
    plot_group: Annotated[
        list[str],
        option(PICTURE, "Value of --by, repeated in its order; else the group with most frames.", metavar="VALUE"),
    ] = field(default_factory=list)
