"""The rule of runs of equal rows: what Boundary and Change have in common."""

from __future__ import annotations

from typing import Any, NamedTuple

from streamframes.core.jit.compiled import BEFORE, GOES_ON, OPENS, register


class Equal(NamedTuple):
    """Runs of rows that agree in all prepared columns."""

    unused: int = 0


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    for a in range(x.shape[0]):
        if x[a, i] != s[a]:
            return BEFORE
    return GOES_ON


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    for a in range(x.shape[0]):
        s[a] = x[a, i]
    return OPENS


register(Equal, judge=_judge, begin=_begin)
