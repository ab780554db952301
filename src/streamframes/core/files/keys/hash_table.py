"""HashTable: the hash tables of texts and integers, each slot a hash and a word that is not 0 where the slot is taken.

Hashes are worked out for a block of rows, and their slots fetched: waiting for memory takes most of the time.

  code    0, 1, 2, ...   the number of a group
          -2, -3, ...    a value that is new, in the order in which they came, until somebody says its number
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

BLOCK = 128
LEAST = 1 << 13
"""How many words a table has at first."""
Step = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int], int]


@compiled
def _move(old: Any, new: Any) -> None:
    """Move what is in a table into a larger one."""
    mask = new.size // 2 - 1
    for i in range(0, old.size, 2):
        if old[i + 1] != 0:
            at = old[i] & mask
            while new[2 * at + 1] != 0:
                at = (at + 1) & mask
            new[2 * at], new[2 * at + 1] = old[i], old[i + 1]


class HashTable:
    """A table that is at most half full."""

    def __init__(self) -> None:
        self.words = np.zeros(LEAST, np.int64)
        self.taken = 0

    def look_up(self, rows: int, step: Step) -> tuple[np.ndarray, np.ndarray]:
        """The code of each row, and the rows at which a value is met first.

        `step` goes on from a row, as long as there is room for new values: the first word of its third argument
        counts them, behind it go their rows.
        """
        codes, fresh = np.empty(rows, np.int32), np.zeros(rows + 1, np.int64)
        begin, before = 0, self.taken
        while begin < rows:
            begin = step(self.words, codes, fresh, begin, self.words.size // 4 - self.taken)
            self.taken = before + int(fresh[0])
            if begin < rows:
                old, self.words = self.words, np.zeros(4 * self.words.size, np.int64)
                _move(old, self.words)
        return codes, fresh[1 : 1 + fresh[0]]
