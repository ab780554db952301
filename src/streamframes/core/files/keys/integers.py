"""Integers by number: group values that are integers, or numbers of several columns put into one."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import as_int64, mix
from streamframes.core.files.keys.hash_table import BLOCK, HashTable
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import fetch, inlined, words


@inlined
def _hash(value: Any) -> Any:
    """No two integers have the same."""
    return np.int64(mix(np.uint64(value)))


@inlined
def _place(slots: Any, mask: Any, value: Any) -> Any:
    """Where a hashed integer is, or would be."""
    at = value & mask
    while slots[2 * at + 1] != 0 and slots[2 * at] != value:
        at = (at + 1) & mask
    return at


@compiled
def _look_up(values: Any, slots: Any, codes: Any, fresh: Any, begin: Any, room: Any) -> Any:
    """The codes of rows from `begin` on, until there is no room for new integers; returns the next row."""
    mask = slots.size // 2 - 1
    hashes = np.empty(BLOCK, np.int64)
    pointer = words(slots)
    while begin < codes.size and room >= BLOCK:
        n = min(BLOCK, codes.size - begin)
        for k in range(n):
            hashes[k] = _hash(values[begin + k])
            fetch(pointer, 2 * (hashes[k] & mask))
        for k in range(n):
            at = 2 * _place(pointer, mask, hashes[k])
            if pointer[at + 1] == 0:
                fresh[0] += 1
                fresh[fresh[0]] = begin + k
                pointer[at], pointer[at + 1] = hashes[k], -fresh[0]
                room -= 1
            codes[begin + k] = pointer[at + 1] - 1
        begin += n
    return begin


@compiled
def _settle(values: Any, numbers: Any, slots: Any) -> None:
    mask = slots.size // 2 - 1
    for i in range(values.size):
        slots[2 * _place(slots, mask, _hash(values[i])) + 1] = numbers[i] + 1


class Integers:
    """The integers that have been met, and the numbers of their groups."""

    def __init__(self) -> None:
        self.slots = HashTable()

    def look_up(self, array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all rows, and the rows at which an integer is met first; see `HashTable`."""
        return self.slots.look_up(len(array), partial(_look_up, as_int64(array)))

    def settle(self, array: pa.Array, numbers: np.ndarray) -> None:
        """Say the numbers of integers that were new."""
        _settle(as_int64(array), numbers, self.slots.words)
