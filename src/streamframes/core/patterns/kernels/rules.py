"""Rules: how matches are sought, what is known of groups, and the room that this takes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

PAST_LAST, NEXT_ROW, TO_FIRST, TO_LAST = range(4)
# What may go wrong: the row to skip to is not there, or is the first of the match.
FINE, NO_ROW_TO_SKIP_TO, SKIPS_TO_FIRST = range(3)
FAR = np.int64(2**62)


class Rules(NamedTuple):
    """How matches are sought; `ahead` and `measures_ahead` are how many rows further conditions and measures look."""

    skip: int
    skip_mask: int
    within: int
    unmatched: bool
    timeouts: bool
    steps: bool
    history: bool
    ahead: int
    measures_ahead: int


class Groups(NamedTuple):
    """The groups of the rows: bounds, where the next match may begin, up to where rows have been matched, and more.

    `first` says that the first row here is the first of the group; `number` counts matches.
    """

    bounds: np.ndarray
    start: np.ndarray
    matched: np.ndarray
    first: np.ndarray
    number: np.ndarray
    watermark: np.ndarray


class Room(NamedTuple):
    """Room for what a start needs: ends of viable paths, two lists of paths, scratch registers, nodes."""

    ends: Any
    now: Any
    next: Any
    scratch: Any
    nodes: Any
