"""Runs: the stretches of reports that are planted to satisfy a condition, and the frames they must become.

group 0   . . x . . . x x x x x x x x . . .      x satisfies the condition
group 1   x x x x x x x x . . . . . . x . .      ticks count the reports of a group from 0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.chance import Flags, Floats, Integers


@dataclass(frozen=True, slots=True)
class Runs:
    """Planted stretches, in order of their start; those of one group are at least one tick apart.

    Parameters
    ----------
    group
        Which group, counted from 0.
    start
        Its first tick.
    length
        How many ticks.
    level
        How strong, from 0 to 1.

    Examples
    --------
    >>> runs = Runs(np.array([0, 1]), np.array([2, 3]), np.array([4, 1]), np.array([0.5, 0.9]))
    >>> runs.within(3, 5)
    (array([3, 4, 3]), array([0, 0, 1]))
    """

    group: Integers
    start: Integers
    length: Integers
    level: Floats

    @property
    def end(self) -> Integers:
        """The last tick of each run."""
        return self.start + self.length - 1

    def take(self, which: Flags | Integers) -> Runs:
        """Only some of the runs.

        Parameters
        ----------
        which
            A mask, or positions in order of their start.
        """
        return Runs(self.group[which], self.start[which], self.length[which], self.level[which])

    def earlier(self, ticks: int) -> Runs:
        """The same runs, each begun earlier; they may touch each other and begin before tick 0.

        Parameters
        ----------
        ticks
            By how much.
        """
        return Runs(self.group, self.start - ticks, self.length + ticks, self.level)

    def near(self, low: int, high: int) -> slice:
        """Where the runs are that may touch the ticks low <= t < high.

        Parameters
        ----------
        low, high
            The ticks.
        """
        longest = int(self.length.max(initial=0))
        first, last = np.searchsorted(self.start, [low - longest, high])
        return slice(int(first), int(last))

    def within(self, low: int, high: int) -> tuple[Integers, Integers]:
        """Each tick of a run with low <= tick < high, and the position of its run.

        Parameters
        ----------
        low, high
            The ticks.
        """
        near = self.near(low, high)
        first = np.maximum(self.start[near], low)
        count = np.maximum(np.minimum(self.end[near] + 1, high) - first, 0)
        run = np.repeat(np.arange(near.start, near.stop), count)
        nth = np.arange(len(run)) - np.repeat(np.cumsum(count) - count, count)
        return np.repeat(first, count) + nth, run


def plant(
    random: np.random.Generator,
    ticks: Integers,
    *,
    calm: float,
    short: tuple[int, int],
    long: tuple[int, int],
    shorts: float,
) -> Runs:
    """Scatter short and long runs over groups.

    Parameters
    ----------
    random, ticks, calm
        As in `scatter`.
    short, long
        Smallest and largest length of the two kinds of run; long ones are log-uniform.
    shorts
        The share of short runs.

    Examples
    --------
    >>> random = np.random.default_rng(6)
    >>> runs = plant(random, np.array([50, 50]), calm=9, short=(1, 2), long=(5, 20), shorts=0.5)
    >>> runs.group, runs.start, runs.length
    (array([1, 0, 1, 1, 0]), array([13, 21, 27, 32, 43]), array([ 1, 17,  1, 18,  2]))
    """

    def lengths(size: int) -> Integers:
        is_short = random.random(size) < shorts
        return np.where(is_short, random.integers(short[0], short[1] + 1, size), log_uniform(random, size, *long))

    return scatter(random, ticks, calm=calm, lengths=lengths)


def scatter(random: np.random.Generator, ticks: Integers, *, calm: float, lengths: Callable[[int], Integers]) -> Runs:
    """Scatter runs of any lengths over groups.

    All groups are laid end to end; calm stretches and runs alternate along that line, and a run that
    reaches the end of its group stops there.

    Parameters
    ----------
    random
        Where chance comes from.
    ticks
        How many reports each group has.
    calm
        Mean length of the stretches between runs (exponential, at least one tick).
    lengths
        How many runs -> the length of each.

    Examples
    --------
    >>> runs = scatter(np.random.default_rng(1), np.array([30]), calm=9, lengths=lambda size: np.full(size, 3))
    >>> runs.start, runs.length
    (array([10, 16]), array([3, 3]))
    """
    total, size = int(ticks.sum()), int(ticks.sum() / calm) + 16
    starts, drawn, reached = [], [], 0
    while reached < total:
        length = lengths(size)
        end = reached + np.cumsum(1 + random.exponential(calm, size).astype(np.int64) + length)
        starts.append(end - length)
        drawn.append(length)
        reached = int(end[-1])
    start, length = np.concatenate(starts), np.concatenate(drawn)
    start, length = start[start < total], length[start < total]
    ends = np.cumsum(ticks)
    group = np.searchsorted(ends, start, side="right")
    length = np.minimum(length, ends[group] - start)
    start = start - (ends - ticks)[group]
    order = np.lexsort((group, start))
    return Runs(group[order], start[order], length[order], random.random(len(order)))


def log_uniform(random: np.random.Generator, size: int, low: int, high: int) -> Integers:
    """Whole numbers from low to high; a length is as likely to lie in one octave as in the next.

    Parameters
    ----------
    random
        Where chance comes from.
    size
        How many numbers.
    low, high
        The smallest and the largest.

    Examples
    --------
    >>> log_uniform(np.random.default_rng(0), 5, 1, 1000)
    array([ 81,   6,   1,   1, 275])
    """
    return np.minimum(low * ((high + 1) / low) ** random.random(size), high).astype(np.int64)


def frames(
    runs: Runs,
    keys: Mapping[str, pa.Array],
    instant: Callable[[Integers, Integers], pa.Array],
    *,
    ticks: Integers,
    rows: Integers | None = None,
) -> pa.Table:
    """The runs as the frames that a Threshold scheme must find, by group and start.

    Parameters
    ----------
    runs
        Those that are long enough.
    keys
        Column -> its value for each group.
    instant
        Groups and ticks -> the progressing attribute.
    ticks
        How many reports each group has.
    rows
        How many reports each run really has; its length unless given.

    Examples
    --------
    >>> runs = Runs(np.array([1]), np.array([2]), np.array([4]), np.array([0.5]))
    >>> router = pa.array(["r0", "r1"])
    >>> frames(runs, {"router": router}, lambda _, tick: pa.array(tick), ticks=np.array([9, 6])).to_pylist()
    [{'router': 'r1', 'frame_start': 2, 'frame_end': 5, 'frame_rows': 4, 'frame_closed_by': 'end of data'}]
    """
    open_at_end = runs.end == ticks[runs.group] - 1
    closed_by = pa.array(["condition", "end of data"]).take(pa.array(open_at_end.astype(np.int64)))
    columns = {name: values.take(pa.array(runs.group)) for name, values in keys.items()} | {
        "frame_start": instant(runs.group, runs.start),
        "frame_end": instant(runs.group, runs.end),
        "frame_rows": pa.array(runs.length if rows is None else rows),
        "frame_closed_by": closed_by,
    }
    return pa.table(columns).sort_by([(name, "ascending") for name in (*keys, "frame_start")])
