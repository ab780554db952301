"""Options of `streamframes fill`: the rows that fill frames, and how the frames are moved before."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

import typer

from streamframes.cli.options.common import RESULT, Format, option

_OTHER = "Rows that fill"
_MOVES = "Edges of frames, moved in this order before they are filled"


@dataclass(frozen=True)
class TwoInputOptions:
    """Files of rows to be framed, and files of rows that fill."""

    input: Annotated[
        str,
        typer.Argument(
            help="The rows that are framed: Parquet, CSV (with a header) or JSON lines; a file, a folder or a glob "
            "in quotes; .gz too.",
            metavar="INPUT",
            show_default=False,
        ),
    ]
    other: Annotated[
        str,
        typer.Argument(help="The rows that fill the frames, in files as INPUT.", metavar="OTHER", show_default=False),
    ]


@dataclass(frozen=True)
class OtherOptions:
    """In which order and groups the rows are that fill, and how they are read."""

    other_ts: Annotated[
        list[str],
        option(_OTHER, "Column that orders OTHER; repeatable. As --ts, unless given.", metavar="COLUMN"),
    ] = field(default_factory=list)
    other_by: Annotated[
        list[str],
        option(
            _OTHER,
            "Group column of both, or a pair like 'router=device_id' (INPUT=OTHER); repeatable. As --by, unless given; "
            "'' for rows that fill the frames of all groups.",
            metavar="COLUMN",
        ),
    ] = field(default_factory=list)
    other_format: Annotated[Format | None, option(_OTHER, "Format of OTHER, where its ending does not say it.")] = None
    other_derive: Annotated[
        list[str],
        option(_OTHER, "A further column of OTHER; repeatable.", "--other-with", metavar="NAME=SQL"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class MoveOptions:
    """Which edges frames have when they are filled."""

    start: Annotated[
        str | None, option(_MOVES, "Another start, computed from the columns of the frame.", metavar="SQL")
    ] = None
    end: Annotated[str | None, option(_MOVES, "Another end, likewise.", metavar="SQL")] = None
    before: Annotated[str | None, option(_MOVES, "Begin each frame earlier by this.", metavar="DURATION")] = None
    after: Annotated[str | None, option(_MOVES, "End each frame later by this.", metavar="DURATION")] = None
    split: Annotated[
        str | None, option(_MOVES, "Cut frames at multiples of this, into numbered pieces.", metavar="DURATION")
    ] = None


@dataclass(frozen=True)
class EmptyOptions:
    """Whether frames without rows are wanted."""

    drop_empty: Annotated[
        bool, option(RESULT, "--agg: leave out frames that no row of OTHER lies in.", "--drop-empty")
    ] = False
