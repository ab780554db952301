"""Pointers: what they read and write is what stands at that place in memory."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from streamframes.core.jit import pointers

octets, byte, half, word = pointers.octets, pointers.byte, pointers.half, pointers.word
words, doubles, shifted = pointers.words, pointers.doubles, pointers.shifted


@numba.njit
def _read(memory: Any, at: int) -> Any:
    p = octets(memory)
    return byte(p, at), half(p, at), word(p, at)


@numba.njit
def _doubled(numbers: Any, at: int) -> Any:
    p = shifted(words(numbers), at)
    d = doubles(p)
    d[0] = 2.0 * d[0]
    return p[0]


def test_numbers_of_any_place_are_little_endian_and_unsigned() -> None:
    memory = np.arange(200, 220, dtype=np.uint8)
    for at in range(12):
        read = [int.from_bytes(memory[at : at + size].tobytes(), "little") for size in (1, 4, 8)]
        assert list(_read(memory, at)) == read


def test_doubles_are_seen_in_longs() -> None:
    numbers = np.array([1.5, 2.5]).view(np.int64)
    _doubled(numbers, 1)
    assert numbers.view(np.float64).tolist() == [1.5, 5.0]
