"""Arrivals: when the rows of links come, one at a time at random, without counting from the first of them.

block    |-----0-----|-----1-----|-----2-----|     of equal duration, for every link
link 0   |x x   x  x |  x xx   x |x    xx   x|     as many rows in each, anywhere in it
link 1   |  xx x    x|x x  x    x| x x   x  x|

Arrivals with exponential gaps, once their number in a block is fixed, are scattered evenly over it. So a block
says all about its instants, and those of any row are found without those of the rows before.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streamframes.data.chance import Integers, addressed
from streamframes.data.instants import SECOND


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The instants of the rows of some links, in microseconds since the beginning.

    Parameters
    ----------
    seed
        The user's seed.
    links
        How many links.
    rate
        Rows of a link per second, at most one per microsecond.
    block
        Rows of a link that share a block.

    Examples
    --------
    >>> arrivals = Arrivals(seed=0, links=2, rate=400, block=4)
    >>> arrivals.between(0, 4)
    array([[ 241,  679],
           [5507, 5412],
           [6431, 7248],
           [7771, 7843]])
    >>> arrivals.of(np.array([1]), np.array([3]))
    array([7843])
    """

    seed: int
    links: int
    rate: int
    block: int

    def between(self, low: int, high: int) -> Integers:
        """One line per row low <= row < high, one column per link; low is where a block begins.

        Parameters
        ----------
        low, high
            Rows of each link, from 0.
        """
        blocks = np.arange(low // self.block, -(-high // self.block))
        every = np.arange(self.links)
        made = self._blocks(*(index.ravel() for index in np.meshgrid(every, blocks, indexing="ij")))
        return made.reshape(self.links, -1).T[: high - low]

    def of(self, link: Integers, row: Integers) -> Integers:
        """The instants of some rows.

        Parameters
        ----------
        link, row
            Which row of which link.
        """
        return self._blocks(link, row // self.block)[np.arange(len(row)), row % self.block]

    def _blocks(self, link: Integers, block: Integers) -> Integers:
        """One line of rising instants per block."""
        row = block[:, np.newaxis] * self.block + np.arange(self.block)
        first, after = (rows * SECOND // self.rate for rows in (row[:, :1], row[:, -1:] + 1))
        # One microsecond each is set aside, so that no two rows of a link share an instant.
        free = after - first - self.block + 1
        chance = addressed(self.seed, "packets instants", row * self.links + link[:, np.newaxis])
        return np.asarray(first + np.sort((chance * free).astype(np.int64), axis=1) + np.arange(self.block), np.int64)
