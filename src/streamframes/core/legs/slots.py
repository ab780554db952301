"""Slots: the hash tables of texts and integers, each slot a hash and a word that is not 0 where the slot is taken.

Hashes are worked out for a block of rows, and their slots fetched: waiting for memory takes most of the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.compiled import compiled

BLOCK = 128


@compiled
def _moved(old: Any, new: Any) -> Any:
    """Move what is in a table into a larger one; returns how many slots are taken."""
    mask = new.size // 2 - 1
    taken = 0
    for i in range(0, old.size, 2):
        if old[i + 1] != 0:
            at = old[i] & mask
            while new[2 * at + 1] != 0:
                at = (at + 1) & mask
            new[2 * at], new[2 * at + 1] = old[i], old[i + 1]
            taken += 1
    return taken


class Slots:
    """A table that is at most half full."""

    def __init__(self) -> None:
        self.words = np.zeros(1 << 13, np.int64)
        self.taken = 0

    def room_for(self, more: int) -> None:
        """Make room for so many more."""
        wanted = 1 << int(4 * (self.taken + more)).bit_length()
        if wanted > self.words.size:
            old, self.words = self.words, np.zeros(wanted, np.int64)
            self.taken = _moved(old, self.words)
