"""Threshold frames: the stretches on which a condition holds.

drop_pct |        x x x x
     0.3 |- - - - - - - - - - -x- -       where="drop_pct > 0.3"
         |  x x          x x x   x
         +----------[frame]----[]------>  a frame is a maximal run of satisfied rows
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.frames.hysteresis import Hysteresis
from streamframes.core.frames.kernel import NO_LIMIT
from streamframes.core.jit.buffers import flags, truths
from streamframes.core.jit.compiled import BEFORE, GOES_ON, NO, OPENS, register
from streamframes.core.schemes.base import Compiled, Expression, Input, Scheme
from streamframes.core.validation import check_expression
from streamframes.errors import InvalidArgument


class Member(NamedTuple):
    """Runs of rows that are marked as members."""

    unused: int = 0


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    return GOES_ON if x[i] else BEFORE


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    return OPENS if x[i] else NO


register(Member, judge=_judge, begin=_begin)


@dataclass(frozen=True, eq=False, repr=False)
class Threshold(Scheme):
    """Maximal runs of rows that satisfy a condition.

    Parameters
    ----------
    where
        A Spark SQL condition or a Column. A row on which it is null does not satisfy it. With `nulls="skip"` a row
        on which `where` or `until` is null is left out and ends no frame; with `nulls="break"` it ends the open frame.
    until
        Hysteresis: an open frame goes on until a row satisfies `until`. That row is outside of the frame, and
        so is a row that satisfies both conditions.
    merge_gap
        Frames whose distance (next start - end) is at most this are one, the rows between included.
    gaps
        Report the periods between, before and after the frames too; `frame_kind` is `episode` or `gap`.
        Minimums apply to episodes only.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Threshold("loss > 3", min_rows=2), ts=[1, 2, 3, 4, 5], where=[True, True, False, True, False])
    [Frame(start=1, end=2, rows=2, closed_by='condition')]

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 3.
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, section 3.2.
    """

    where: Expression
    until: Expression | None = None
    merge_gap: Duration | None = None
    gaps: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_expression(self.where, "where", "drop_pct > 0.3")
        if self.until is not None:
            check_expression(self.until, "until", "drop_pct < 0.1")
        if self.merge_gap is not None:
            check_duration(self.merge_gap, "merge_gap")
        if not isinstance(self.gaps, bool):
            raise InvalidArgument(f"gaps={self.gaps!r} must be True or False")

    def inputs(self) -> tuple[Input, ...]:
        """One or two conditions."""
        where = Input("where", self.where, "condition")
        return (where,) if self.until is None else (where, Input("until", self.until, "condition"))

    def null_policy(self) -> str:
        """A null condition is a value, false, unless the scheme says otherwise."""
        return self.nulls or "value"

    def compile(self, clock: Clock) -> Compiled:
        """Runs of members; `frames.hysteresis` decides which rows are members where that takes more than one row."""
        hysteresis = None
        if self.until is not None or self.merge_gap is not None:
            merge_gap = None if self.merge_gap is None else np.uint64(clock.ticks(self.merge_gap, "merge_gap"))
            max_gap = NO_LIMIT if self.max_gap is None else np.uint64(clock.ticks(self.max_gap, "max_gap"))
            hysteresis = Hysteresis(until=self.until is not None, merge_gap=merge_gap, max_gap=max_gap)
        return Compiled(rule=Member(), prepare=satisfied, hysteresis=hysteresis, gaps=self.gaps)


def satisfied(columns: Sequence[pa.Array]) -> np.ndarray:
    """The condition as booleans, null as false."""
    return flags(truths(columns[0]))
