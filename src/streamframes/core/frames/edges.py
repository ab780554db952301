"""Edges: frames whose starts and ends are moved before they are filled.

  frame            [--------]
  expand      [-------------]--]        earlier by `before`, later by `after`
  split            [---|---|-]          cut at multiples of `every`; pieces are numbered

Moves are given in ticks. Frames without an instant (an edge is null, or the end lies before the start) stay as they
are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import as_int64
from streamframes.core.batch.rows import typed
from streamframes.core.schemes.base import Expression
from streamframes.core.sparksql import translate
from streamframes.errors import StreamFramesError


@dataclass(frozen=True)
class Expand:
    """Start earlier and end later."""

    before: int = 0
    after: int = 0


@dataclass(frozen=True)
class Split:
    """Cut at the multiples of a period."""

    every: int


@dataclass(frozen=True)
class Shift:
    """Other edges, as Spark expressions over the frame's columns; None leaves an edge where it is.

    `lookback` says how far before its own start a frame may begin then, where that must be known.
    """

    start: Expression | None
    end: Expression | None
    lookback: int | None = None


Move = Expand | Split | Shift


def lookback_of(moves: Sequence[Move]) -> int:
    """How far before its own start a moved frame may begin."""
    return sum(_lookback(move) for move in moves)


def _lookback(move: Move) -> int:
    if isinstance(move, Expand):
        return move.before
    return (move.lookback or 0) if isinstance(move, Shift) else 0


def moved(
    frames: pa.RecordBatch, moves: Sequence[Move], prefix: str, final: np.ndarray | None = None
) -> pa.RecordBatch:
    """The frames after all moves, one after the other; an end that is not `final` is not moved."""
    for move in moves:
        if isinstance(move, Expand):
            frames = _expanded(frames, move, prefix, final)
        elif isinstance(move, Split):
            frames = _split(frames, move.every, prefix)
        else:
            frames = _shifted(frames, move, prefix)
    return frames


def edges(frames: pa.RecordBatch, prefix: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last instant of each frame in ticks, and whether it has any."""
    start, end = (frames.column(f"{prefix}{name}") for name in ("start", "end"))
    there = np.asarray((start.is_valid().to_numpy(False)) & (end.is_valid().to_numpy(False)))
    low, high = as_int64(start), as_int64(end)
    return low, high, there & (low <= high)


def _expanded(frames: pa.RecordBatch, move: Expand, prefix: str, final: np.ndarray | None) -> pa.RecordBatch:
    """An edge stops at the first and at the last instant of its type."""
    low, high, there = edges(frames, prefix)
    later = there if final is None else there & final
    first, last = _limits(frames.schema.field(f"{prefix}start").type)
    start = _earlier(low, move.before, first)
    end = np.where(high > last - move.after, last, high + move.after)
    frames = _with(frames, f"{prefix}start", np.where(there, start, low))
    return _with(frames, f"{prefix}end", np.where(later, end, high))


def _earlier(ticks: np.ndarray, by: int, first: int) -> np.ndarray:
    """The instants that lie earlier, but not before the first one."""
    return np.where(ticks < first + by, first, ticks - by)


def _limits(kind: pa.DataType) -> tuple[int, int]:
    """The first and the last instant of a type, in ticks."""
    last = 2 ** (kind.bit_width - 1) - 1
    return -last - 1, last


def _split(frames: pa.RecordBatch, every: int, prefix: str) -> pa.RecordBatch:
    low, high, there = edges(frames, prefix)
    first = low // every
    counts = np.where(there, high // every - first + 1, 1)
    which = np.repeat(np.arange(counts.size), counts)
    number = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    pieces = frames.take(pa.array(which))
    cell = first[which] + number
    whole = there[which]
    start = np.where(whole & (number > 0), cell * every, low[which])
    end = np.where(whole & (number < counts[which] - 1), (cell + 1) * every - 1, high[which])
    pieces = _with(_with(pieces, f"{prefix}start", start), f"{prefix}end", end)
    return pieces.append_column(pa.field(f"{prefix}piece", pa.int64()), pa.array(number))


def _shifted(frames: pa.RecordBatch, move: Shift, prefix: str) -> pa.RecordBatch:
    """Both edges are computed from the frame as it was."""
    result = frames
    for name, text in ((f"{prefix}start", move.start), (f"{prefix}end", move.end)):
        if text is not None:
            values = translate(str(text), frames.schema).evaluate(frames)
            result = result.set_column(frames.schema.get_field_index(name), frames.schema.field(name), values)
    _check_lookback(frames, result, move, prefix)
    return result


def _check_lookback(before: pa.RecordBatch, after: pa.RecordBatch, move: Shift, prefix: str) -> None:
    """Rows are kept as long as was said: a frame that begins earlier would lack some."""
    (own, _, _), (low, _, there) = edges(before, prefix), edges(after, prefix)
    first, _ = _limits(before.schema.field(f"{prefix}start").type)
    if move.lookback is not None and (there & (low < _earlier(own, move.lookback, first))).any():
        raise StreamFramesError(
            f"move(start={move.start!r}) begins a frame further back than its lookback says; give a larger lookback="
        )


def _with(frames: pa.RecordBatch, name: str, ticks: np.ndarray) -> pa.RecordBatch:
    """The frames with other instants; where there was none, there is none."""
    index = frames.schema.get_field_index(name)
    field = frames.schema.field(index)
    absent = frames.column(index).is_null().to_numpy(False)
    return frames.set_column(index, field, typed(pa.array(ticks, mask=absent), field.type))
