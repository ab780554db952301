"""Switchboard: when calls come, on which channel, and the log in which all channels are mixed.

channel 0   |--call--|    |-----call-----||--call--|       a caller who finds a channel taken waits for it
channel 1     |-----call-----|     |--call--|
log         x x xx x x x xx  x x x x x x x  x  x x         in order of time, which is logged in whole seconds
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.data.call_centre.script import CLASSES, Script, Sessions, written
from streamframes.data.call_centre.steps import SCHEMA, columns, words
from streamframes.data.chance import Integers, generator
from streamframes.data.instants import TIMESTAMP, timestamps
from streamframes.data.parts import ROWS_PER_PART, Parts

BLOCK = 1 << 10
"""Calls whose script is written together: many for speed, few because a part needs all of each."""
_CALLS_PER_PART = 1 << 14
_MILLISECONDS = 1000
_FIFTH = 5


@dataclass(frozen=True)
class Switchboard:
    """The calls by their arrival: those of one turn of all channels, then those of the next.

    Parameters
    ----------
    seed
        The user's seed.
    channels
        How many.
    origin
        Microseconds since 1970 at which the log begins.
    often, hang_up
        As in `written`.
    begin, end
        When each call rings and when its last row comes, in milliseconds.
    rows
        How many rows it has.
    """

    seed: int
    channels: int
    origin: int
    often: float
    hang_up: float
    begin: Integers
    end: Integers
    rows: Integers

    @classmethod
    def planned(
        cls, seed: int, calls: int, channels: int, *, origin: int, often: float, hang_up: float, idle: float
    ) -> Switchboard:
        """Write all scripts once, to see how long they are, and give each call its instant."""
        nothing = np.zeros(calls, np.int64)
        draft = cls(seed, channels, origin, often, hang_up, nothing, nothing, nothing)
        scripts = [(np.diff(script.edges), script.at[script.edges[1:] - 1]) for _, script in draft.blocks()]
        rows, length = (np.concatenate(each) for each in zip(*scripts, strict=True))
        lines = min(channels, calls)
        turns = -(-calls // lines)
        apart = length.mean() / (1 - idle)
        chance = generator(seed, "calls arrivals").random((turns, lines))
        arrival = ((np.arange(turns)[:, np.newaxis] + chance) * apart).astype(np.int64)
        lengths = np.zeros((turns, lines), np.int64)
        lengths.ravel()[:calls] = length
        before = np.cumsum(lengths, axis=0) - lengths
        begin = (before + np.maximum.accumulate(arrival - before, axis=0)).ravel()[:calls]
        return cls(seed, channels, origin, often, hang_up, begin, begin + length, rows)

    def blocks(self, which: Integers | None = None) -> Iterator[tuple[int, Script]]:
        """The scripts of some blocks, or of all, each with its number."""
        calls = len(self.begin)
        for block in range(-(-calls // BLOCK)) if which is None else which.tolist():
            some = min(BLOCK, calls - block * BLOCK)
            yield block, written(self.seed, block, calls=some, often=self.often, hang_up=self.hang_up)

    def log(self) -> Parts:
        """The rows; positions are seconds."""
        span = int(self.end.max()) // _MILLISECONDS + 1
        # Every part needs the calls that are under way at its edges, so it is longer than they are.
        longer = 4 * float((self.end - self.begin).mean()) / _MILLISECONDS
        step = max(1, int(max(ROWS_PER_PART * span / int(self.rows.sum()), longer)))
        return Parts(SCHEMA, span, step, self._rows)

    def sessions(self) -> Parts:
        """The truth; positions are calls, in the order in which they open."""
        return Parts(
            self._sessions(0, 0, 0).schema, len(self.begin), max(_CALLS_PER_PART, self.channels), self._sessions
        )

    def calls(self) -> Parts:
        """One row for each call; positions are calls, in the order in which they close."""
        return Parts(self._calls(0, 0, 0).schema, len(self.begin), max(_CALLS_PER_PART, self.channels), self._calls)

    @cached_property
    def _opening(self) -> Integers:
        return np.argsort(self.begin, kind="stable")

    @cached_property
    def _closing(self) -> Integers:
        return np.argsort(self.end, kind="stable")

    @cached_property
    def _number(self) -> Integers:
        """The number of each call, from 1, in the order in which they open."""
        number = np.empty(len(self.begin), np.int64)
        number[self._opening] = np.arange(1, len(number) + 1)
        return number

    @cached_property
    def _closed_rows(self) -> Integers:
        """How many rows have the calls that have closed first."""
        return np.concatenate([[0], np.cumsum(self.rows[self._closing])])

    def _near(self, low: int, high: int) -> Integers:
        """The calls under way in low <= millisecond < high, in the order of their arrival."""
        longest = int((self.end - self.begin).max())
        first, last = np.searchsorted(self.begin, [low - longest, high], sorter=self._opening)
        near = self._opening[first:last]
        return np.sort(near[self.end[near] >= low])

    def _rows(self, part: int, low: int, high: int) -> pa.Table:
        low, high = low * _MILLISECONDS, high * _MILLISECONDS
        near = self._near(low, high)
        pieces = []
        for block, script in self.blocks(np.unique(near // BLOCK)):
            call = script.call + block * BLOCK
            at = self.begin[call] + script.at
            pieces.append(np.stack([call, script.step, words(self.seed, block, script.step), at]))
        call, step, word, at = np.concatenate([np.empty((4, 0), np.int64), *pieces], axis=1)
        # Rows of calls that are over are known without their scripts.
        over = int(np.searchsorted(self.end, low, sorter=self._closing))
        before = self._closed_rows[over] + np.count_nonzero((at < low) & (self.end[call] >= low))
        inside = np.flatnonzero((at >= low) & (at < high))
        order = inside[np.argsort(at[inside], kind="stable")]
        made = [
            pa.array(before + np.arange(1, len(order) + 1)),
            self._instants(at[order]),
            pa.array((call[order] % self.channels).astype(np.int32)),
            *columns(self.seed, call[order], step[order], word[order]),
        ]
        return pa.table(made, schema=SCHEMA)

    def _planted(self, calls: Integers) -> tuple[Sessions, Integers, Integers]:
        """The sessions of some calls, and when they begin and end; calls and sessions are counted over all."""
        wanted = np.zeros(len(self.begin), np.bool_)
        wanted[calls] = True
        pieces = []
        for block, script in self.blocks(np.unique(calls // BLOCK)):
            made = script.sessions
            call = made.call + block * BLOCK
            edges = [self.begin[call] + script.at[row] for row in (made.first, made.last)]
            every = [made.kind, call, made.visit, made.first, made.last, made.by_parent, *edges]
            pieces.append(np.stack(every)[:, wanted[call]])
        found = np.concatenate([np.empty((8, 0), np.int64), *pieces], axis=1)
        kind, call, visit, first, last, by_parent, start, end = found
        return Sessions(kind, call, visit, first, last, by_parent.astype(np.bool_)), start, end

    def _sessions(self, part: int, low: int, high: int) -> pa.Table:
        sessions, start, end = self._planted(self._opening[low:high])
        number = self._number[sessions.call]
        order = np.argsort(number, kind="stable")
        sessions, number, start, end = sessions.take(order), number[order], start[order], end[order]
        return pa.table(
            {
                "channel": pa.array((sessions.call % self.channels).astype(np.int32)),
                "call": pa.array(number),
                "visit": pa.array(sessions.visit, mask=sessions.kind == 0),
                "frame_class": pa.array(CLASSES).take(pa.array(sessions.kind)),
                "frame_start": self._instants(start),
                "frame_end": self._instants(end),
                "frame_rows": pa.array(sessions.last - sessions.first + 1),
                "frame_closed_by": pa.array(["condition", "parent"]).take(pa.array(sessions.by_parent.astype(np.int8))),
            }
        )

    def _calls(self, part: int, low: int, high: int) -> pa.Table:
        calls = self._closing[low:high]
        sessions, start, end = self._planted(calls)
        place = np.empty(len(self.begin), np.int64)
        place[calls] = np.arange(len(calls))
        call, att = place[sessions.call], sessions.kind == 1
        visits = np.bincount(call[att], minlength=len(calls))
        seconds = np.zeros(len(calls), np.int64)
        np.add.at(seconds, call[att], (end // _MILLISECONDS - start // _MILLISECONDS)[att])
        fifth = np.zeros(len(calls), np.int64)
        is_fifth = att & (sessions.visit == _FIFTH)
        fifth[call[is_fifth]] = start[is_fifth]
        none = pa.scalar(None, TIMESTAMP)
        return pa.table(
            {
                "channel": pa.array((calls % self.channels).astype(np.int32)),
                "call": pa.array(self._number[calls]),
                "frame_start": self._instants(self.begin[calls]),
                "frame_end": self._instants(self.end[calls]),
                "att_visits": pa.array(visits),
                "att_seconds": pa.array(seconds, mask=visits == 0),
                "fifth_att": pc.if_else(pa.array(visits >= _FIFTH), self._instants(fifth), none),
            }
        )

    def _instants(self, at: Integers) -> pa.Array:
        return timestamps(at // _MILLISECONDS * 1_000_000, self.origin)
