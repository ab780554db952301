"""The reference implementation: a scheme with all its options, step by step as the definition reads, on a few rows.

  order and nulls ─> stretches (max_gap) ─> frames (scheme, merge_gap, limits) ─> minimums ─> gaps between

Slow on purpose. Rows are dicts with `ts` and the inputs `in0`, `in1`, ...; instants and durations are integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from streamframes.core.schemes import Boundary, Count, Every, Scheme, Threshold
from streamframes.core.theory.laws import Interval, Row, final_frames, reference_cell, theory_of, ticks
from streamframes.core.theory.trial import Frame, in_reading_order

Ended = tuple[Interval, str]


def reference_frames(scheme: Scheme, rows: Sequence[Row]) -> list[Frame]:
    """The frames of one group, by the definition."""
    ordered = sorted(rows, key=lambda row: (row["ts"], *(_tie(row[name]) for name in _inputs(row))))
    frames: list[Frame] = []
    for stretch, ending in _stretches(scheme, ordered):
        frames += _frames_of_stretch(scheme, stretch, ending)
    return sorted(frames, key=in_reading_order)


def _inputs(row: Row) -> list[str]:
    return sorted(name for name in row if name != "ts")


def _tie(value: Any) -> tuple[bool, bool, Any]:
    """Nulls first, NaN last."""
    nan = isinstance(value, float) and math.isnan(value)
    return value is not None, nan, 0 if value is None or nan else value


def _stretches(scheme: Scheme, rows: Sequence[Row]) -> list[tuple[list[Row], str]]:
    """Rows between breaks, with the reason a frame at the end of the stretch is closed for."""
    policy = scheme.nulls or scheme.null_policy()
    stretches: list[tuple[list[Row], str]] = []
    current: list[Row] = []
    for row in rows:
        absent = policy != "value" and any(not _tie(row[name])[0] or _tie(row[name])[1] for name in _inputs(row))
        if absent and policy == "skip":
            continue
        if current and scheme.max_gap is not None and row["ts"] - current[-1]["ts"] > ticks(scheme.max_gap):
            stretches.append((current, "gap"))
            current = []
        if absent and current:
            stretches.append((current, "condition"))
            current = []
        if not absent:
            current.append(row)
    return [*stretches, (current, "end of data")] if current else stretches


def _fits(scheme: Scheme, rows: Sequence[Row]) -> bool:
    rows_fit = scheme.max_rows is None or len(rows) <= scheme.max_rows
    lasts = rows[-1]["ts"] - rows[0]["ts"]
    return rows_fit and (scheme.max_duration is None or lasts <= ticks(scheme.max_duration))


def _frames_of_stretch(scheme: Scheme, rows: list[Row], ending: str) -> list[Frame]:
    frames: list[Frame] = []
    covered: set[int] = set()
    for (i, j), why in _pieces(scheme, rows):
        shortest = 0 if scheme.min_duration is None else ticks(scheme.min_duration)
        small = j - i + 1 < (scheme.min_rows or 1) or rows[j]["ts"] - rows[i]["ts"] < shortest
        if not small:
            covered |= set(range(i, j + 1))
            frames.append(_frame(scheme, rows, (i, j), ending if why == "open" else why, "episode"))
    if isinstance(scheme, Threshold) and scheme.gaps:
        frames += _gap_frames(scheme, rows, covered, ending)
    return frames


def _frame(scheme: Scheme, rows: list[Row], interval: Interval, why: str, kind: str) -> Frame:
    i, j = interval
    cell = None
    if isinstance(scheme, Boundary):
        cell = tuple(reference_cell(rows[i][f"in{d}"], lines) for d, lines in enumerate(scheme.grid.values()))
    shown_kind = kind if isinstance(scheme, Threshold) and scheme.gaps else None
    return Frame(rows[i]["ts"], rows[j]["ts"], j - i + 1, why, kind=shown_kind, cell=cell)


def _pieces(scheme: Scheme, rows: list[Row]) -> list[Ended]:
    if isinstance(scheme, Every | Count):
        return _cut(scheme, rows, _windows(scheme, rows))
    if isinstance(scheme, Threshold):
        everything = final_frames(rows, theory_of(scheme), lambda rows: True)
        return _cut(scheme, rows, _merged(scheme, rows, everything))
    return final_frames(rows, theory_of(scheme), lambda rows: _fits(scheme, rows))


def _windows(scheme: Every | Count, rows: list[Row]) -> list[Ended]:
    """All windows, overlapping or not, that hold rows; a time window is open if the last row is in it."""
    n = len(rows)
    if isinstance(scheme, Count):
        starts = range(0, n, scheme.slide or scheme.size)
        return [((i, min(i + scheme.size, n) - 1), "condition" if i + scheme.size <= n else "open") for i in starts]
    size = ticks(scheme.size)
    slide = size if scheme.slide is None else ticks(scheme.slide)
    windows: list[Ended] = []
    for k in range((rows[0]["ts"] - size) // slide, rows[-1]["ts"] // slide + 1):
        inside = [i for i, row in enumerate(rows) if k * slide <= row["ts"] < k * slide + size]
        if inside:
            windows.append(((inside[0], inside[-1]), "open" if inside[-1] == n - 1 else "condition"))
    return windows


def _merged(scheme: Threshold, rows: list[Row], frames: list[Ended]) -> list[Ended]:
    longest = None if scheme.merge_gap is None else ticks(scheme.merge_gap)
    merged: list[Ended] = []
    for (i, j), why in frames:
        if merged and longest is not None and rows[i]["ts"] - rows[merged[-1][0][1]]["ts"] <= longest:
            merged[-1] = (merged[-1][0][0], j), why
        else:
            merged.append(((i, j), why))
    return merged


def _cut(scheme: Scheme, rows: list[Row], frames: list[Ended]) -> list[Ended]:
    pieces: list[Ended] = []
    for (i, j), why in frames:
        while i <= j:
            end = max(k for k in range(i, j + 1) if _fits(scheme, rows[i : k + 1]))
            pieces.append(((i, end), why if end == j else "limit"))
            i = end + 1
    return pieces


def _gap_frames(scheme: Threshold, rows: list[Row], covered: set[int], ending: str) -> list[Frame]:
    """The maximal runs of rows in no episode, cut at the limits."""
    runs: list[Ended] = []
    for i in (i for i in range(len(rows)) if i not in covered):
        if runs and runs[-1][0][1] == i - 1:
            runs[-1] = ((runs[-1][0][0], i), "condition")
        else:
            runs.append(((i, i), "condition"))
    runs = [((i, j), "open" if j == len(rows) - 1 else why) for (i, j), why in runs]
    pieces = _cut(scheme, rows, runs)
    return [_frame(scheme, rows, at, ending if why == "open" else why, "gap") for at, why in pieces]
