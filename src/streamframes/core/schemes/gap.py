"""Gap frames: sessions, the stretches without a long pause.

x x x x          x x x     x
[ frame ]        [ frame   ]          a frame ends where the next row is further away than the gap
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.jit.compiled import BEFORE, GOES_ON, OPENS, register
from streamframes.core.schemes.base import Compiled, Input, Scheme
from streamframes.core.schemes.columns import instants_only


class GapRule(NamedTuple):
    """The longest pause inside of a frame, in ticks."""

    gap: np.uint64


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    far = np.uint64(t - s[0]) > rule.gap
    s[0] = t
    return BEFORE if far else GOES_ON


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    s[0] = t
    return OPENS


register(GapRule, judge=_judge, begin=_begin)


@dataclass(frozen=True, eq=False, repr=False)
class Gap(Scheme):
    """Sessions: neighbouring rows at most `gap` apart share a frame.

    Unlike the option `max_gap`, which cuts the frames of another scheme, the gap is the scheme: its frames are
    closed by `condition`.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Gap(5), ts=[1, 2, 9])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=9, end=9, rows=1, closed_by='end of data')]
    """

    gap: Duration

    def __post_init__(self) -> None:
        super().__post_init__()
        check_duration(self.gap, "gap")

    def inputs(self) -> tuple[Input, ...]:
        """Nothing but the instants."""
        return ()

    def compile(self, clock: Clock) -> Compiled:
        """The instant of the last row is all the state."""
        return Compiled(rule=GapRule(np.uint64(clock.ticks(self.gap, "gap"))), prepare=instants_only, expires=True)
