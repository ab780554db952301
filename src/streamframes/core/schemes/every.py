"""Every: time windows, aligned to the epoch; frames contain windows as a special case.

|  x x  x | x     x |         | x       |        tumbling: [0, 5) [5, 10) [10, 15) ...
   [    ]   [     ]             []               a frame spans the rows of its window
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.jit.compiled import BEFORE, GOES_ON, NO, OPENS, register
from streamframes.core.schemes.base import Compiled, Input, Scheme
from streamframes.core.schemes.columns import instants_only
from streamframes.errors import InvalidArgument

# So that no sum of two of them overflows.
LONGEST = 2**62


class EveryRule(NamedTuple):
    """Window `k` covers `[k slide, k slide + size)`; lane `l` holds the windows with `k % lanes == l`."""

    size: int
    slide: int
    lanes: int


# A window may begin before the first long or end after the last: its start wraps around, and only differences are
# compared.


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    left = rule.size - (start - s[0])
    return GOES_ON if t < start or np.uint64(t - start) < np.uint64(left) else BEFORE


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    window = t // rule.slide
    back = window % rule.lanes - lane
    if back < 0:
        back += rule.lanes
    into = t - window * rule.slide + back * rule.slide
    s[0] = t - into
    return OPENS if into < rule.size else NO


register(EveryRule, judge=_judge, begin=_begin)


@dataclass(frozen=True, eq=False, repr=False)
class Every(Scheme):
    """Time windows of a fixed size, aligned to 1970-01-01 00:00 UTC (or to 0).

    A frame spans the rows of its window: `frame_start` and `frame_end` are its first and last row, and a window
    without rows is no frame.

    Parameters
    ----------
    size
        The length of a window.
    slide
        The distance of window starts; less than `size` makes windows overlap, so that a row is in several.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Every(10), ts=[1, 2, 11])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=11, end=11, rows=1, closed_by='end of data')]
    """

    size: Duration
    slide: Duration | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_duration(self.size, "size")
        if self.slide is not None:
            check_duration(self.slide, "slide")

    def inputs(self) -> tuple[Input, ...]:
        """Nothing but the instants."""
        return ()

    def compile(self, clock: Clock) -> Compiled:
        """As many lanes as windows can hold one instant; the windows of a lane do not overlap."""
        size = clock.ticks(self.size, "size")
        slide = size if self.slide is None else clock.ticks(self.slide, "slide")
        for name, ticks in (("size", size), ("slide", slide)):
            if ticks > LONGEST:
                raise InvalidArgument(
                    f"Every() got {name}={getattr(self, name)!r}, longer than 2^62; give a shorter one"
                )
        lanes = -(-size // slide)
        return Compiled(rule=EveryRule(size, slide, lanes), prepare=instants_only, lanes=lanes, expires=True)
