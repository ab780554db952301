"""Stretches: the part of the rows in which frames and windows differ most, and how they differ there.

         frames   ────────        ──────────
windows  min                      ████              an episode is missed
         max      ██████████████  ████████████ ██   rows around episodes, and a false alarm
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Spans:
    """Spans in order, none of which overlap; both ends belong to a span."""

    start: Numbers
    end: Numbers

    def meet(self, others: Spans) -> Flags:
        """Which of these share an instant with one of the others.

        >>> some, others = Spans(np.array([0, 10.0]), np.array([4, 19.0])), Spans(np.array([5.0]), np.array([10.0]))
        >>> some.meet(others)
        array([False,  True])
        """
        first = np.searchsorted(others.end, self.start)
        starts = np.append(others.start, np.inf)
        return starts[first] <= self.end

    def hold(self, instants: Numbers) -> Flags:
        """Which instants lie in a span."""
        return Spans(instants, instants).meet(self)

    def take(self, wanted: Flags) -> Spans:
        """Those that are wanted."""
        return Spans(self.start[wanted], self.end[wanted])

    def within(self, low: float, high: float) -> Spans:
        """Those that lie between two instants, at least with a part."""
        return self.take((self.end >= low) & (self.start <= high))


@dataclass(frozen=True)
class Selection:
    """The frames of one group, and its windows with those that each heuristic selects."""

    frames: Spans
    windows: Spans
    selected: dict[str, Flags] = field(default_factory=dict)

    def picked(self, heuristic: str) -> Spans:
        """The windows that a heuristic selects."""
        return self.windows.take(self.selected[heuristic])

    def missed(self, heuristic: str) -> Spans:
        """The frames that meet no window which the heuristic selects."""
        return self.frames.take(~self.frames.meet(self.picked(heuristic)))

    def false_alarms(self, heuristic: str) -> Spans:
        """The windows that the heuristic selects and that meet no frame."""
        picked = self.picked(heuristic)
        return picked.take(~picked.meet(self.frames))

    def most_varied(self, length: int) -> tuple[float, tuple[float, float]]:
        """How much of all kinds so many windows in a row show at best, and from where to where they are.

        Missed frames, false alarms and frames that are found all count; none of them makes up for another.
        """
        found = self.frames.meet(self.picked("min"))
        counts = [_running(self.windows, self.frames.take(each), length) for each in (found, ~found)]
        counts.append(_running(self.windows, self.false_alarms("max"), length))
        score = np.sum([np.minimum(each, 1) * 10 + np.minimum(each, 3) for each in counts], axis=0)
        best = int(np.argmax(score))
        last = min(best + length, len(self.windows.start)) - 1
        return float(score[best]), (float(self.windows.start[best]), float(self.windows.end[last]))


def _running(windows: Spans, spans: Spans, length: int) -> Numbers:
    """How many spans lie wholly in the windows from each on."""
    last = np.minimum(np.arange(len(windows.start)) + length, len(windows.start)) - 1
    ended = np.searchsorted(spans.end, windows.end[last], side="right")
    begun = np.searchsorted(spans.start, windows.start, side="left")
    counts: Numbers = np.maximum(ended - begun, 0).astype(np.float64)
    return counts
