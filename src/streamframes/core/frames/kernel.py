"""The one compiled loop: rows of many groups in, runs out, a state record per group and lane.

Every scheme is a rule (see `jit.compiled`) that this loop asks two questions: what does this row do to the open
frame, and does it open one? The options that all schemes share are applied here, once, in the order of the
definition: the scheme cuts, `max_gap` and the limits cut, the minimums drop.

A *run* is a stretch of rows that is, or may become, a frame. A *lane* is one of the frames that a group may
have open at once (sliding windows, own schemes); most schemes have a single lane.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np

from streamframes.core.jit.compiled import AFTER, BEFORE, NO, OPENS_AND_CLOSES, begin, compiled, judge

# Columns of a lane's state record; REPORTED counts the reported frames that share LAST_START.
OPEN, START, END, ROWS, IMPUTED, LAST_START, REPORTED = range(7)
LANE_FIELDS = 7

# Columns of a run; ORDINAL is -1 for a run that is not, or not yet, a frame, FRESH is 0 for one that goes on.
RUN_GROUP, RUN_LANE, RUN_START, RUN_END, RUN_ROWS, RUN_IMPUTED, RUN_REASON, RUN_ORDINAL, RUN_FRESH = range(9)
RUN_FIELDS = 9

# Why a run ended; the names of these numbers are in `batch.rows.CLOSED_BY`.
STILL_OPEN, CONDITION, GAP, LIMIT, END_OF_DATA = range(5)

# What is special about a row, as bits.
SKIP, NULL_BREAK, HOLE_BREAK, IMPUTED_ROW, CANNOT_OPEN, AT_WATERMARK = 1, 2, 4, 8, 16, 64

# Control rows, which belong to no frame: the group has sent nothing for too long; a report is missing that counts as
# false; all rows before the watermark have been seen.
TIMEOUT = SKIP | IMPUTED_ROW | HOLE_BREAK
MISSING_REPORT = SKIP | IMPUTED_ROW | NULL_BREAK
WATERMARK = SKIP | IMPUTED_ROW | AT_WATERMARK

NO_LIMIT = np.uint64(2**64 - 1)
NO_ROWS = np.int64(2**62)


class Limits(NamedTuple):
    """The options of every scheme in ticks and rows; unsigned, so that no difference of instants overflows."""

    min_rows: np.int64
    min_duration: np.uint64
    max_rows: np.int64
    max_duration: np.uint64
    max_gap: np.uint64


@compiled
def _reportable(start: int, end: int, rows: int, limits: Any) -> bool:
    return bool(rows >= limits.min_rows and np.uint64(end - start) >= limits.min_duration)


@compiled
def _write(run: Any, record: Any, start: int, end: int, rows: int, imputed: int, reason: int, limits: Any) -> None:
    """Fill in a run; a reportable one gets its ordinal among the frames of the lane that share its start."""
    run[RUN_START] = start
    run[RUN_END] = end
    run[RUN_ROWS] = rows
    run[RUN_IMPUTED] = imputed
    run[RUN_REASON] = reason
    run[RUN_ORDINAL] = -1
    if _reportable(start, end, rows, limits):
        run[RUN_ORDINAL] = record[REPORTED] if record[LAST_START] == start else 0
        if reason != STILL_OPEN:
            record[LAST_START] = start
            record[REPORTED] = run[RUN_ORDINAL] + 1


@compiled
def scan_rows(  # noqa: PLR0915  (one loop: a call for each row would cost more than its work)
    rule: Any,
    limits: Any,
    x: Any,
    ts: Any,
    mark: Any,
    groups: Any,
    bounds: Any,
    lanes: Any,
    own: Any,
    last: Any,
    runs: Any,
    run_own: Any,
    run_of_row: Any,
) -> int:
    """Scan the rows of each group in order; returns the number of runs written.

    Parameters
    ----------
    x, ts, mark
        The scheme's prepared input, the instants and the special bits (empty: no row is special).
    groups, bounds
        Row `bounds[k]` up to `bounds[k + 1]` belong to group `groups[k]`.
    lanes, own, last
        State, changed in place: records per (group, lane), the rules' own scalars, and per group whether it has
        been seen and the instant of its last row.
    runs, run_own, run_of_row
        Output: runs, the own state with which each run began, and the run of each (row, lane) or -1. The last two
        are empty where the caller needs neither.
    """
    n_lanes = lanes.shape[1]
    marked, wants_own, wants_rows = mark.size > 0, run_own.size > 0, run_of_row.size > 0
    taken = np.zeros(ts.size if n_lanes > 1 else 0, np.uint8)
    watches_gaps = limits.max_gap != NO_LIMIT
    limited = limits.max_rows < NO_ROWS or limits.max_duration != NO_LIMIT
    special = 0
    n_runs = 0
    kept = np.empty(own.shape[2], own.dtype)
    for k in range(groups.size):
        g = groups[k]
        for lane in range(n_lanes):
            record, s = lanes[g, lane], own[g, lane]
            is_open, start, end = record[OPEN] != 0, record[START], record[END]
            rows, imputed = record[ROWS], record[IMPUTED]
            seen, last_t = last[g, 0] != 0, last[g, 1]
            run = n_runs
            if is_open:
                runs[run, RUN_GROUP], runs[run, RUN_LANE], runs[run, RUN_FRESH] = g, lane, 0
                if wants_own:
                    run_own[run, :] = s
                n_runs += 1
            for i in range(bounds[k], bounds[k + 1]):
                t = ts[i]
                if marked:
                    special = mark[i]
                hole = special & HOLE_BREAK != 0
                # A null that breaks, or a report that is missing, comes after a gap like any other row.
                if watches_gaps and seen and (not special & SKIP or special & NULL_BREAK):
                    hole |= np.uint64(t - last_t) > limits.max_gap
                if hole or special & NULL_BREAK:
                    if is_open:
                        _write(runs[run], record, start, end, rows, imputed, GAP if hole else CONDITION, limits)
                        is_open = False
                    if hole:
                        s[:] = 0
                if special & SKIP:
                    if wants_rows:
                        run_of_row[i, lane] = -1
                    if special & AT_WATERMARK and is_open:
                        kept[:] = s
                        if judge(rule, x, i, t, s, start, rows) == BEFORE:
                            _write(runs[run], record, start, end, rows, imputed, CONDITION, limits)
                            is_open = False
                        s[:] = kept
                    continue
                seen, last_t = True, t
                joined, closes, judged = False, False, is_open
                if is_open:
                    verdict = judge(rule, x, i, t, s, start, rows)
                    reason = CONDITION if verdict == BEFORE else STILL_OPEN
                    if (
                        limited
                        and reason == STILL_OPEN
                        and (rows >= limits.max_rows or np.uint64(t - start) > limits.max_duration)
                    ):
                        reason = LIMIT
                    if reason == STILL_OPEN:
                        joined, closes = True, verdict == AFTER
                        rows += 1
                    else:
                        _write(runs[run], record, start, end, rows, imputed, reason, limits)
                        is_open = False
                if not joined and not special & CANNOT_OPEN:
                    free = n_lanes == 1 or taken[i] == 0
                    answer = begin(rule, x, i, t, s, lane, free, judged)
                    if answer != NO:
                        joined, closes = True, answer == OPENS_AND_CLOSES
                        is_open, start, rows, imputed = True, t, 1, 0
                        run = n_runs
                        runs[run, RUN_GROUP], runs[run, RUN_LANE], runs[run, RUN_FRESH] = g, lane, 1
                        n_runs += 1
                        if wants_own:
                            run_own[run, :] = s
                        if n_lanes > 1:
                            taken[i] = 1
                if joined:
                    end = t
                    if special & IMPUTED_ROW:
                        imputed += 1
                    if closes:
                        _write(runs[run], record, start, end, rows, imputed, CONDITION, limits)
                        is_open = False
                if wants_rows:
                    run_of_row[i, lane] = run if joined else -1
            if is_open:
                _write(runs[run], record, start, end, rows, imputed, STILL_OPEN, limits)
            record[OPEN], record[START], record[END] = is_open, start, end
            record[ROWS], record[IMPUTED] = rows, imputed
            if lane == n_lanes - 1:
                last[g, 0], last[g, 1] = seen, last_t
    return n_runs


# A rule that the user wrote is compiled anew in each process: its type means nothing to a cache on disk.
scan_rows_fresh = numba.njit(nogil=True)(scan_rows.py_func)  # type: ignore[attr-defined]
KERNELS = {"cached": scan_rows, "fresh": scan_rows_fresh, "python": scan_rows.py_func}  # type: ignore[attr-defined]
