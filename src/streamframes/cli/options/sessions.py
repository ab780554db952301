"""Options of `streamframes sessions`: the tree of classes, and which result is wanted."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from streamframes.cli.options.common import PICTURE, RESULT, ResultOptions, option

Shown = Literal["sessions", "measures", "open", "diagnostics"]

_TREE = "Sessions"


@dataclass(frozen=True)
class TreeOptions:
    """Which sessions there are, and what is computed of them."""

    tree: Annotated[
        Path,
        option(
            _TREE,
            "TOML or JSON: name, key or matches, opens, closes, timeout, attributes, on_open, on_close of a class, and "
            "parts, the classes inside.",
            metavar="FILE",
        ),
    ]
    measure: Annotated[
        list[str],
        option(_TREE, "An aggregate, like 'visits=Call.count(ATT)'; repeatable.", metavar="NAME=AGGREGATE"),
    ] = field(default_factory=list)


@dataclass(frozen=True)
class SessionResultOptions(ResultOptions):
    """Which result, and what to do with it."""

    show: Annotated[
        Shown,
        option(
            RESULT,
            "sessions that closed (the default); measures: whenever one changes; open: sessions that are open at the "
            "end; diagnostics: how many events had no key, and how many would have closed what was not open.",
            "--show",
        ),
    ] = "sessions"
    classes: Annotated[
        str | None, option(RESULT, "Whose, like 'Call,ATT'; else those of all classes.", metavar="NAMES")
    ] = None
    first: Annotated[int, option(RESULT, "Without --output: how many rows to print.", "--first", metavar="ROWS")] = 20


@dataclass(frozen=True)
class SessionPictureOptions:
    """What to draw."""

    plot: Annotated[
        Path | None, option(PICTURE, "Draw the first sessions over time: .png, .svg or .html.", metavar="FILE")
    ] = None
    plot_tree: Annotated[
        Path | None, option(PICTURE, "Draw the classes and measures as boxes; the same endings.", metavar="FILE")
    ] = None
