"""Integers by number: group values that are integers, or numbers of several columns put into one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.compiled import compiled
from streamframes.core.groups import as_int64, mix
from streamframes.core.legs.slots import BLOCK, Slots
from streamframes.core.pointers import fetch, words


@compiled
def _hash(value: Any) -> Any:
    """No two integers have the same."""
    return np.int64(mix(np.uint64(value)))


@compiled
def _place(slots: Any, mask: Any, value: Any) -> Any:
    """Where a hashed integer is, or would be."""
    at = value & mask
    while slots[2 * at + 1] != 0 and slots[2 * at] != value:
        at = (at + 1) & mask
    return at


@compiled
def _look_up(values: Any, slots: Any, codes: Any) -> None:
    mask = slots.size // 2 - 1
    hashes = np.empty(BLOCK, np.int64)
    pointer = words(slots)
    for begin in range(0, codes.size, BLOCK):
        n = min(BLOCK, codes.size - begin)
        for k in range(n):
            hashes[k] = _hash(values[begin + k])
            fetch(pointer, 2 * (hashes[k] & mask))
        for k in range(n):
            codes[begin + k] = slots[2 * _place(slots, mask, hashes[k]) + 1] - 1


@compiled
def _add(values: Any, numbers: Any, slots: Any) -> Any:
    """Put values with their numbers into the table; returns how many were new to it."""
    mask = slots.size // 2 - 1
    added = 0
    for i in range(values.size):
        value = _hash(values[i])
        at = _place(slots, mask, value)
        added += slots[2 * at + 1] == 0
        slots[2 * at], slots[2 * at + 1] = value, numbers[i] + 1
    return added


class Integers:
    """The integers that have been met, and the numbers of their groups."""

    def __init__(self) -> None:
        self.slots = Slots()

    def look_up(self, array: pa.Array) -> np.ndarray:
        """The number of each row's group, or -1 where it is not known."""
        codes = np.empty(len(array), np.int32)
        _look_up(as_int64(array), self.slots.words, codes)
        return codes

    def add(self, array: pa.Array, numbers: np.ndarray) -> None:
        """Integers and the numbers of their groups."""
        self.slots.room_for(len(array))
        self.slots.taken += _add(as_int64(array), numbers, self.slots.words)
