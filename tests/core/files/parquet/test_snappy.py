"""Snappy: what any packer may have written is unpacked; what is damaged is refused, and nothing beyond is touched."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest

from streamframes.core.files.parquet.snappy import BEFORE, BEHIND, unpack

_GUARD = 0xA5


def unpacked(packed: bytes, size: int) -> bytes | None:
    """What is unpacked, or None if it is refused; nothing beyond the room may have been touched."""
    room = np.full(100 + BEFORE + size + BEHIND + 100, _GUARD, np.uint8)
    at = 100 + BEFORE
    data = np.frombuffer(b"??" + packed + b"??", np.uint8)
    told = unpack(data, 2, 2 + len(packed), room[: at + size + BEHIND], at, size)
    assert (room[:100] == _GUARD).all()
    assert (room[at + size + BEHIND :] == _GUARD).all()
    return room[at : at + size].tobytes() if told else None


def length(size: int) -> bytes:
    """A number, seven bits a byte."""
    found = bytearray()
    while size > 0x7F:
        found.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes(found) + bytes([size])


def elements(random: Random, size: int) -> tuple[bytes, bytes]:
    """Any elements that are allowed, also those that no packer chooses; and what they mean, byte by byte."""
    packed, meant = bytearray(), bytearray()
    while len(meant) < size:
        kind = random.choice([0, 0, 1, 2, 3] if meant else [0])
        back = min(len(meant), random.choice([1, 2, 7, 8, 8, 8, 9, 16, 100, 2047, 70_000, len(meant)]))
        if kind == 0:
            some = random.randbytes(random.choice([1, 2, 3, 7, 8, 20, 60, 61, 300, 70_000]))
            more = 0 if len(some) <= 60 else random.randrange((len(some) - 1).bit_length() + 7 >> 3, 5)
            packed.append((len(some) - 1 if more == 0 else 59 + more) << 2)
            packed += (len(some) - 1).to_bytes(4, "little")[:more] + some
            meant += some
            continue
        if kind == 1:
            n, back = random.randint(4, 11), min(back, 2047)
            packed += bytes([back >> 8 << 5 | n - 4 << 2 | 1, back & 255])
        else:
            n, more = random.choice([1, 3, 7, 8, 9, 15, 16, 64, random.randint(1, 64)]), 2 * kind - 2
            back = back if kind == 3 else min(back, 65_535)
            packed += bytes([n - 1 << 2 | kind]) + back.to_bytes(more, "little")
        for _ in range(n):
            meant.append(meant[-back])
    return length(len(meant)) + packed, bytes(meant)


@pytest.mark.parametrize("seed", range(300))
def test_any_elements_mean_what_they_say(seed):
    random = Random(seed)
    packed, meant = elements(random, random.choice([1, 30, 200, 1000, 5000]))
    assert unpacked(packed, len(meant)) == meant


@pytest.mark.parametrize("seed", range(60))
def test_what_arrow_packs_is_unpacked(seed):
    random, size = Random(seed), [0, 1, 7, 8, 100, 10_000, 300_000][seed % 7]
    rising = np.cumsum(np.random.default_rng(seed).integers(0, 3_000, size // 8 + 1)) + 1_700_000_000_000_000
    texts = "".join(f"sensor-{random.randrange(2000)}" for _ in range(size // 9 + 1)).encode()
    for data in (rising.tobytes(), texts, bytes(size), random.randbytes(size)):
        assert unpacked(pa.compress(data[:size], "snappy", asbytes=True), size) == data[:size]


@pytest.mark.parametrize("seed", range(300))
def test_what_is_damaged_is_refused_where_arrow_refuses_it(seed):
    random = Random(seed)
    packed, meant = elements(random, random.choice([20, 200, 1000]))
    damaged = bytearray(packed)
    for _ in range(random.randint(1, 3)):
        damaged[random.randrange(len(damaged))] = random.randrange(256)
    damaged = damaged[: random.choice([len(damaged), random.randrange(len(damaged))])]
    try:
        expected = pa.decompress(bytes(damaged), len(meant), "snappy", asbytes=True)
    except (pa.ArrowException, OSError):
        expected = None
    assert unpacked(bytes(damaged), len(meant)) == expected


@pytest.mark.parametrize("rest", [300, 0])
@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("n", [4, 8, 11])
def test_copies_from_nowhere_are_refused_wherever_they_stand(kind, n, rest):
    def packed(back: int) -> bytes:
        copy = bytes([back >> 8 << 5 | n - 4 << 2 | 1, back & 255])
        if kind > 1:
            copy = bytes([n - 1 << 2 | kind]) + back.to_bytes(2 * kind - 2, "little")
        more = bytes([61 << 2]) + (rest - 1).to_bytes(2, "little") + bytes(rest) if rest else b""
        return length(50 + n + rest) + bytes([49 << 2]) + b"x" * 50 + copy + more

    assert unpacked(packed(50), 50 + n + rest) == b"x" * (50 + n) + bytes(rest)
    assert unpacked(packed(0), 50 + n + rest) is None
    assert unpacked(packed(51), 50 + n + rest) is None


def test_another_size_than_the_one_that_is_told_is_refused():
    packed = pa.compress(b"0123456789", "snappy", asbytes=True)
    assert unpacked(packed, 10) == b"0123456789"
    assert unpacked(packed, 9) is None
    assert unpacked(packed, 11) is None
    assert unpacked(b"\xff" * 20, 10) is None
    assert unpacked(b"", 0) is None
