"""Options of `streamframes regions` and `streamframes density`: where rows are, what is searched, what is drawn."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, Literal

from streamframes.cli.options.common import (
    PICTURE,
    RESULT,
    Format,
    MeasureOptions,
    PictureOptions,
    ResultOptions,
    SourceOptions,
    option,
)

_ROWS = "Rows"
_REGION = "Region"
_STATIONS = "Stations, and reports that are missing"
_DENSITY = "Density"


@dataclass(frozen=True)
class SpaceOptions:
    """Where rows are."""

    space: Annotated[
        list[str],
        option(
            _ROWS, "Column of numbers that says where, like a milepost; give it twice for x and y.", metavar="COLUMN"
        ),
    ]


@dataclass(frozen=True)
class RegionOptions:
    """What a region is."""

    where: Annotated[str, option(_REGION, "What holds all over a region: 'speed < 20'.", metavar="SQL")]
    shape: Annotated[
        Literal["rectangle", "connected"],
        option(_REGION, "rectangle (the default): all of the largest; connected: whatever hangs together."),
    ] = "rectangle"
    prefer: Annotated[
        Literal["largest", "longest", "widest"] | None,
        option(_REGION, "Of rectangles that overlap only the best: by rows, by time or by space."),
    ] = None
    min_duration: Annotated[str | None, option(_REGION, "Drop regions that last less.", metavar="DURATION")] = None
    min_extent: Annotated[
        list[float],
        option(_REGION, "Drop regions that extend less far; twice for x and y.", "--min-extent", metavar="NUMBER"),
    ] = field(default_factory=list)
    min_times: Annotated[int | None, option(_REGION, "No region has fewer reports of one of its places.")] = None
    min_places: Annotated[int | None, option(_REGION, "Drop regions with fewer places.")] = None
    max_gap: Annotated[
        str | None, option(_REGION, "No region goes on where a place is silent for longer.", metavar="DURATION")
    ] = None
    max_step: Annotated[
        float | None, option(_REGION, "No region goes on where neighbours are further apart.", metavar="NUMBER")
    ] = None
    method: Annotated[
        Literal["durations", "spans"] | None,
        option(_REGION, "rectangle: how they are searched; the result is the same."),
    ] = None


@dataclass(frozen=True)
class StationOptions:
    """Which places report, and what is done where they do not."""

    places: Annotated[
        str | None,
        option(
            _STATIONS,
            "Places that report at every instant: '301.2,302,305.5', or a file with the columns of --space and --by.",
            metavar="LIST or FILE",
        ),
    ] = None
    places_format: Annotated[Format | None, option(_STATIONS, "Format of FILE, where its ending does not say it.")] = (
        None
    )
    bad: Annotated[
        str | None, option(_STATIONS, "Which reports count as missing: \"status <> 'ok'\".", metavar="SQL")
    ] = None
    missing: Annotated[
        Literal["ends", "holds", "true", "false"] | None,
        option(_STATIONS, "What a missing report does: it ends a region (the default), is passed over, or counts as."),
    ] = None
    max_missing: Annotated[int | None, option(_STATIONS, "So many missing reports of a place in a row at most.")] = None
    open_on: Annotated[
        Literal["any", "real"] | None,
        option(_STATIONS, "--missing true: it may begin a region (any), or only go on with one (real, the default)."),
    ] = None


@dataclass(frozen=True)
class DensityOptions:
    """What is dense."""

    bin: Annotated[
        list[float],
        option(_DENSITY, "Side of a cell, in the unit of --space; twice for x and y.", "--bin", metavar="NUMBER"),
    ]
    unit: Annotated[str, option(_DENSITY, "Time is cut into units of this length.", metavar="DURATION")]
    above: Annotated[
        float, option(_DENSITY, "Rows in a unit for each unit of area, on the mean of a region.", metavar="NUMBER")
    ]
    min_area: Annotated[float | None, option(_DENSITY, "Regions are as large at least.", metavar="NUMBER")] = None
    min_duration: Annotated[str | None, option(_DENSITY, "Drop regions that last less.", metavar="DURATION")] = None


@dataclass(frozen=True)
class RegionResultOptions(ResultOptions):
    """What to do with the regions."""

    tag: Annotated[bool, option(RESULT, "The rows with the id of their region, not the regions.", "--tag")] = False


@dataclass(frozen=True)
class RegionPictureOptions(PictureOptions):
    """What to draw."""

    plot_value: Annotated[
        str | None,
        option(
            PICTURE, "What colours the reports; else what --where looks at.", "--plot-value", "--value", metavar="SQL"
        ),
    ] = None
    plot_group: Annotated[
        list[str],
        option(PICTURE, "Value of --by, repeated in its order; else the group with most regions.", metavar="VALUE"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class RegionArguments:
    """The options that both commands take, and when the command began."""

    source: SourceOptions
    space: SpaceOptions
    measures: MeasureOptions
    result: RegionResultOptions
    picture: RegionPictureOptions
    began: float = field(default_factory=time.monotonic)
