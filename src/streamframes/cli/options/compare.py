"""Options of `streamframes compare`: which episodes, which windows, and what to do with the comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from streamframes.cli.options.common import PICTURE, RESULT, Format, option

_EPISODES = "Episodes"
_WINDOWS = "Windows"


@dataclass(frozen=True)
class EpisodeOptions:
    """What an episode is."""

    threshold: Annotated[str, option(_EPISODES, "What holds in all of its rows: 'speed < 40'.", metavar="SQL")]
    value: Annotated[
        str | None,
        option(_EPISODES, "What --threshold is about, where it names several columns: 'a - b'.", metavar="SQL"),
    ] = None
    min_rows: Annotated[int | None, option(_EPISODES, "Leave out those with fewer rows.")] = None
    min_duration: Annotated[str | None, option(_EPISODES, "Leave out those that last less.", metavar="DURATION")] = None
    until: Annotated[str | None, option(_EPISODES, "An episode lasts until this holds.", metavar="SQL")] = None
    merge_gap: Annotated[
        str | None, option(_EPISODES, "Join those that are at most this far apart.", metavar="DURATION")
    ] = None
    max_gap: Annotated[str | None, option(_EPISODES, "Cut where rows are further apart.", metavar="DURATION")] = None
    nulls: Annotated[
        Literal["skip", "break"] | None,
        option(_EPISODES, "What a null value does: leave its row out, or also end the episode."),
    ] = None


@dataclass(frozen=True)
class LengthOptions:
    """How long windows are."""

    windows: Annotated[
        str | None,
        option(
            _WINDOWS,
            "Lengths: '60 seconds,5 minutes' in time, '5,20,120' or '20:120:20' in rows; else six, from an eighth of "
            "the median frame to four times that.",
            metavar="LENGTHS",
        ),
    ] = None


@dataclass(frozen=True)
class ComparisonOptions:
    """What to do with the comparison."""

    output: Annotated[
        str | None,
        option(RESULT, "Write the table: .parquet, .csv, .json.", "--output", "-o", metavar="PATH"),
    ] = None
    output_format: Annotated[Format | None, option(RESULT, "Format of PATH, where its ending does not say it.")] = None
    overwrite: Annotated[bool, option(RESULT, "Replace PATH if it exists.", "--overwrite")] = False
    plot: Annotated[
        Path | None, option(PICTURE, "Draw the errors by length of windows: .png, .svg or .html.", metavar="FILE")
    ] = None
