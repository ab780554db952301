"""Viability: from which step, at which row, a pattern can still be completed; found once for all rows, last row first.

  row            0  1  2  3  4        `ends[r, q]`: taking row r as step q leads to a match that ends before
  A can begin    5  5  .  5  .        this row; 0 where it leads to none, OPEN where rows to come decide

With this a match is found without ever going back: at each row the preferred step that is viable is the right one. So
each row is looked at once for each step, however many starts there are.
"""

from __future__ import annotations

from typing import Any

from streamframes.core.jit.compiled import compiled


@compiled
def fill_ends(p: Any, row_ok: Any, first: Any, high: Any, at_end: Any, may_end: Any, shortest: Any, ends: Any) -> None:
    """Fill `ends` for the rows [first, high); at row `high` the group ends, may end, or nothing is known yet.

    Without a limit of time it is the end of the preferred match, with one that of the shortest.
    """
    m, n_steps = high - first, p.variable.size
    for q in range(n_steps):
        ends[m, q] = 0 if at_end else m + 1
    for r in range(m - 1, -1, -1):
        for q in range(n_steps):
            end = 0
            if row_ok[p.variable[q], first + r]:
                if at_end and r == m - 1:
                    end = m if p.ends[q] else 0
                else:
                    for k in range(p.after[q], p.after[q + 1]):
                        t = p.follow[k]
                        there = r + 1 if t < 0 else ends[r + 1, t]
                        if there != 0 and (end == 0 or there < end):
                            end = there
                            if not shortest:
                                break
                    if end == 0 and may_end and r == m - 1 and p.ends[q] == 2:
                        end = m + 1
            ends[r, q] = end


@compiled
def walk(p: Any, ends: Any, r: Any, q: Any, m: Any, at_end: Any, limit: Any, steps: Any, n: Any) -> Any:
    """The length of the match whose first row is r, taken as step q; its steps go to `steps` from n on.

    -1 where it depends on rows to come.
    """
    at = r
    while True:
        steps[n + at - r] = q
        if at_end and at == m - 1:
            return at + 1 - r
        q_next = q
        for k in range(p.after[q], p.after[q + 1]):
            t = p.follow[k]
            if t < 0:
                return at + 1 - r
            if 0 < ends[at + 1, t] <= limit:
                q_next = t
                break
        q, at = q_next, at + 1
        if at == m:
            return -1
