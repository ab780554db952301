"""Count: windows of a number of rows; frames contain them as a special case.

x  x x    x | x x x x |  x  x         Count(4): a frame is complete with its fourth row
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from streamframes.core.batch.clock import Clock
from streamframes.core.jit.compiled import AFTER, GOES_ON, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, Input, Scheme
from streamframes.core.schemes.columns import instants_only
from streamframes.core.validation import check_positive_int


class CountRule(NamedTuple):
    """A window starts at every `slide`-th row; lane `l` holds windows `l`, `l + lanes`, ..."""

    size: int
    slide: int
    lanes: int


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    s[0] += 1
    s[1] += 1
    return AFTER if s[1] == rule.size else GOES_ON


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    if not judged:
        s[0] += 1
    position = s[0] - 1 - lane * rule.slide
    inside = position % (rule.lanes * rule.slide)
    if position < 0 or inside >= rule.size:
        return NO
    s[1] = inside + 1
    return OPENS_AND_CLOSES if s[1] == rule.size else OPENS


register(CountRule, judge=_judge, begin=_begin)


@dataclass(frozen=True, eq=False, repr=False)
class Count(Scheme):
    """Windows of `size` rows, counted from the first row of the group.

    Parameters
    ----------
    size
        The number of rows in a frame.
    slide
        The number of rows between the starts of frames; less than `size` makes them overlap.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Count(2), ts=[1, 2, 5])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=5, end=5, rows=1, closed_by='end of data')]
    """

    size: int
    slide: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_positive_int(self.size, "size")
        check_positive_int(self.slide, "slide", optional=True)

    def inputs(self) -> tuple[Input, ...]:
        """Nothing but the order of rows."""
        return ()

    def compile(self, clock: Clock) -> Compiled:
        """The position in the group, and in the window, is all the state."""
        slide = self.slide or self.size
        lanes = -(-self.size // slide)
        rule = CountRule(self.size, slide, lanes)
        return Compiled(rule=rule, prepare=instants_only, width=2, lanes=lanes, remembers=True)
