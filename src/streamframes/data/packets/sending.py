"""Sending: how many bytes links send in each row, in bursts and in between.

bytes   x      x
        xx     xxx xx
        xx     xxxxxx           ON: one row for each packet of the burst
        xx.....xxxxxx........   OFF: the background, which is nothing unless asked for
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streamframes.data.arguments import more_than, whole
from streamframes.data.chance import Integers, addressed, generator
from streamframes.data.parts import ROWS_PER_PART
from streamframes.data.runs import Runs, scatter

_SMALLEST, _LARGEST = 500, 1500
"""Bytes of the packets of a burst."""
_MOST_BACKGROUND = 200
"""Little enough for no row of the background to look like a packet of a burst."""


def packet_values(
    rows: int = 100_000,
    *,
    seed: int = 0,
    shape: float = 1.5,
    smallest: int = 1,
    calm: int = 500,
    background: int = 0,
) -> Integers:
    """The bytes of a single link, in the order of time: those of `packets` with `links=1`, as an array.

    Parameters
    ----------
    rows, seed, shape, smallest, calm, background
        As in `packets`.

    Examples
    --------
    >>> values = packet_values(rows=2_000, seed=1)
    >>> values.nonzero()[0]
    array([ 385,  591, 1326])
    >>> packet_values(rows=2_000, seed=1, background=40)[380:390] - values[380:390]
    array([ 4, 65,  9, 63, 78,  4, 69, 69, 36, 77])
    """
    rows = whole("packet_values", "rows", rows)
    sending = planned("packet_values", rows, 1, seed, shape, smallest, calm, background)
    values = np.empty(rows, np.int64)
    for low in range(0, rows, ROWS_PER_PART):
        high = min(low + ROWS_PER_PART, rows)
        values[low:high] = sending.between(low, high)[:, 0]
    return values


@dataclass(frozen=True, slots=True)
class Sending:
    """What is sent in each row of each link.

    Parameters
    ----------
    seed
        The user's seed.
    ticks
        How many rows each link has.
    bursts
        When links are ON.
    background
        Mean number of bytes in a row, without those of bursts.

    Examples
    --------
    >>> burst = Runs(np.array([1]), np.array([1]), np.array([2]), np.array([0.5]))
    >>> Sending(0, np.array([4, 4]), burst, background=0).between(0, 4)
    array([[  0,   0],
           [  0, 904],
           [  0, 580],
           [  0,   0]])
    """

    seed: int
    ticks: Integers
    bursts: Runs
    background: int

    @property
    def most_background(self) -> int:
        """The largest number of bytes of a row in no burst; rows of bursts have more."""
        return 2 * self.background

    def between(self, low: int, high: int) -> Integers:
        """One line per row low <= row < high, one column per link.

        Parameters
        ----------
        low, high
            Rows of each link, from 0.
        """
        links = len(self.ticks)
        sent = np.zeros((high - low, links), np.int64)
        if self.background:
            row = np.arange(low * links, high * links)
            sent += self._draw("packets background", row, 0, self.most_background).reshape(sent.shape)
        tick, burst = self.bursts.within(low, high)
        link = self.bursts.group[burst]
        sent[tick - low, link] += self._draw("packets bytes", tick * links + link, _SMALLEST, _LARGEST)
        return sent

    def _draw(self, purpose: str, row: Integers, low: int, high: int) -> Integers:
        return low + (addressed(self.seed, purpose, row) * (high - low + 1)).astype(np.int64)


def planned(
    function: str, rows: int, links: int, seed: int, shape: float, smallest: int, calm: int, background: int
) -> Sending:
    """Check the arguments and decide when links are ON.

    Parameters
    ----------
    function
        Whose arguments they are.
    rows, links, seed, shape, smallest, calm, background
        As in `packets`; rows and links have been checked.
    """
    seed = whole(function, "seed", seed, at_least=0)
    shape = more_than(function, "shape", shape, 1)
    smallest = whole(function, "smallest", smallest)
    calm = whole(function, "calm", calm)
    background = whole(function, "background", background, at_least=0, at_most=_MOST_BACKGROUND)
    random = generator(seed, "packets plan")

    def lengths(size: int) -> Integers:
        sizes = np.minimum(smallest * (1 - random.random(size)) ** (-1 / shape), rows)
        # Rounded up or down by chance, the mean stays what it is.
        return np.asarray(sizes + random.random(size), np.int64)

    ticks = (rows - np.arange(links) + links - 1) // links
    return Sending(seed, ticks, scatter(random, ticks, calm=calm, lengths=lengths), background)
