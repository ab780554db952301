"""Filling by its definition, in nested loops over plain rows: slow and short, the reference of all that is fast."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from streamframes.core.frames.edges import Move, Split

Row = dict[str, Any]


def key_of(row: Row, names: list[str]) -> tuple[Any, ...]:
    """The group of a row."""
    return tuple(row[name] for name in names)


def holds(frame: Row, row: Row, keys: list[str]) -> bool:
    """Same group, and first instant <= row <= last instant."""
    if key_of(frame, keys) != key_of(row, keys) or row["ts"] is None:
        return False
    start, end = frame["frame_start"], frame["frame_end"]
    return start is not None and end is not None and start <= row["ts"] <= end


def order_of(row: Row, columns: list[str]) -> tuple[Any, ...]:
    """`ts`, then what travels: nulls first, NaN last, -0.0 before 0.0."""
    return (row["ts"], *(part for name in columns for part in _rank(row[name])))


def _rank(value: Any) -> tuple[Any, ...]:
    if value is None:
        return (0, 0, 0.0, 0.0)
    if isinstance(value, float) and math.isnan(value):
        return (2, 0, 0.0, 0.0)
    if isinstance(value, str):
        return (1, value, 0.0, 0.0)
    return (1, 0, value, math.copysign(1, value) if isinstance(value, float) else 0)


def filled(frames: list[Row], rows: list[Row], keys: list[str], columns: list[str]) -> list[tuple[Row, list[Row]]]:
    """Every frame with the rows it holds, in order."""
    return [
        (
            frame,
            sorted((row for row in rows if holds(frame, row, keys)), key=functools.partial(order_of, columns=columns)),
        )
        for frame in frames
    ]


def expanded(frames: list[Row], before: int = 0, after: int = 0) -> list[Row]:
    """Frames that begin earlier and end later; those without instants, or that end before they start, stay."""
    return [
        frame
        if frame["frame_start"] is None or frame["frame_end"] is None or frame["frame_end"] < frame["frame_start"]
        else {**frame, "frame_start": frame["frame_start"] - before, "frame_end": frame["frame_end"] + after}
        for frame in frames
    ]


def moved_schema(frames: pa.Schema, moves: Sequence[Move], prefix: str) -> pa.Schema:
    """The columns of moved frames: pieces are numbered."""
    is_split = any(isinstance(move, Split) for move in moves)
    return frames.append(pa.field(f"{prefix}piece", pa.int64())) if is_split else frames


def split(frames: list[Row], every: int) -> list[Row]:
    """One instant after the other: a new piece wherever the cell of the grid changes."""
    pieces = []
    for frame in frames:
        start, end = frame["frame_start"], frame["frame_end"]
        if start is None or end is None or end < start:
            pieces.append({**frame, "frame_piece": 0})
            continue
        cells: dict[int, list[int]] = {}
        for instant in range(start, end + 1):
            cells.setdefault(math.floor(instant / every), []).append(instant)
        for number, instants in enumerate(cells.values()):
            pieces.append({**frame, "frame_start": instants[0], "frame_end": instants[-1], "frame_piece": number})
    return pieces


def measured(function: str, rows: list[Row], column: str) -> Any:
    """A measure of rows that are in order; nulls take no part, except in first and last."""
    if function in ("first", "last"):
        return rows[0 if function == "first" else -1][column] if rows else None
    values = [row[column] for row in rows if row[column] is not None]
    if function == "count":
        return len(values)
    if not values:
        return None
    if function == "sum":
        return functools.reduce(lambda total, value: total + value, values, 0.0)
    if function == "max":
        return max(values, key=lambda value: _rank(value)[:3])
    return functools.reduce(lambda total, value: total + value, values, 0.0) / len(values)
