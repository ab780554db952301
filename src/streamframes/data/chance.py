"""Chance: random numbers that depend on nothing but the seed, a purpose and a place.

A part of a data set must come out the same whether it is made alone, in order or twice, so no two parts
share a stream of random numbers.
"""

from __future__ import annotations

import zlib
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]


def generator(seed: int, purpose: str, part: int = 0) -> np.random.Generator:
    """Random numbers for one part of one purpose.

    Parameters
    ----------
    seed
        The user's seed.
    purpose
        What the numbers are for; purposes are independent of each other.
    part
        The part of the data set.

    Examples
    --------
    >>> generator(7, "plan").random() == generator(7, "plan").random()
    True
    >>> generator(7, "plan").random() == generator(7, "plan", part=1).random()
    False
    """
    return np.random.default_rng(_sequence(seed, purpose, part))


def addressed(seed: int, purpose: str, index: Integers) -> Floats:
    """One uniform number in [0, 1) per index, the same whatever else is asked for.

    Parameters
    ----------
    seed, purpose
        As in `generator`.
    index
        Which numbers.

    Examples
    --------
    >>> few, many = np.array([8, 9]), np.arange(10)
    >>> bool((addressed(7, "loss", few) == addressed(7, "loss", many)[8:]).all())
    True

    References
    ----------
    Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014 (the mixing step).
    """
    key = _sequence(seed, purpose, 0).generate_state(1, np.uint64)
    mixed = index.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + key
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _sequence(seed: int, purpose: str, part: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(zlib.crc32(purpose.encode()), part))
