"""Hashing: numbers that Spark's hash spreads evenly over partitions."""

from __future__ import annotations


def bucket_names(buckets: int, partitions: int) -> tuple[int, ...]:
    """Numbers that Spark hashes onto the partitions in turn, so that buckets are spread evenly.

    >>> bucket_names(3, 3)
    (0, 1, 11)
    """
    names: list[int] = []
    free: dict[int, list[int]] = {}
    candidate = 0
    while len(names) < buckets:
        wanted = len(names) % partitions
        while not free.get(wanted):
            free.setdefault(_murmur3(candidate) % partitions, []).append(candidate)
            candidate += 1
        names.append(free[wanted].pop(0))
    return tuple(names)


def _murmur3(value: int, seed: int = 42) -> int:
    """Spark's hash of an int, signed as there; `%` of it is Spark's pmod."""
    word = 2**32 - 1

    def rotated(number: int, by: int) -> int:
        return ((number << by) | (number >> (32 - by))) & word

    mixed = rotated(value * 0xCC9E2D51 & word, 15) * 0x1B873593 & word
    total = (rotated(seed ^ mixed, 13) * 5 + 0xE6546B64) & word ^ 4
    total = (total ^ total >> 16) * 0x85EBCA6B & word
    total = (total ^ total >> 13) * 0xC2B2AE35 & word
    total ^= total >> 16
    return total - 2**32 if total >= 2**31 else total
