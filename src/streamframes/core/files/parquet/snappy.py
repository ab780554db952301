"""Snappy, unpacked quickly where numbers rise: the format in which Parquet files are packed unless somebody asks.

  packed     length, then elements:   literal "some bytes"   copy "so many bytes from so far back"
  instants   literal of 2 bytes, copy of 6 from 8 back, literal of 2, copy of 6, ...

Most of the time goes into waiting: a copy reads bytes that were written just before, in other widths. Here the last
eight bytes stay in a register, from which short copies from eight bytes back are made.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import byte, copy, half, octets, put, word

BEFORE, BEHIND = 8, 64
"""How much room there must be before and behind what is unpacked; anything may be written there."""
_AHEAD, _LONG = 16, 256


@compiled
def unpack(packed: Any, begin: Any, end: Any, out: Any, at: Any, size: Any) -> Any:
    """Unpack `packed[begin:end]` into `out[at:at + size]`; returns whether that is what was packed."""
    read, told = _length(packed, begin, end)
    if read < 0 or told != size or at < BEFORE or at + size + BEHIND > out.size:
        return False
    read, done = _quickly(packed, read, end, out, at, size)
    return read >= 0 and _carefully(packed, read, end, out, at, done, size)


@compiled
def _length(packed: Any, begin: Any, end: Any) -> Any:
    """What it says of its length, and where the elements begin; -1 if it says nothing."""
    size: Any = 0
    for i in range(min(5, end - begin)):
        some = np.int64(packed[begin + i])
        size |= (some & 0x7F) << (7 * i)
        if some < 0x80:
            return begin + i + 1, size
    return -1, 0


@compiled
def _quickly(packed: Any, read: Any, end: Any, out: Any, at: Any, size: Any) -> Any:
    """All but the end, in words; returns where the rest begins, or -1, and where it goes."""
    source, target = octets(packed), octets(out)
    place, last = at, at + size
    recent = np.uint64(0)  # the last eight bytes that were written
    while read + _AHEAD < end and place + BEHIND < last:
        tag = byte(source, read)
        if tag & 3 == 0:
            n, read = (tag >> 2) + 1, read + 1
            if n < 8:
                recent = _joined(recent, word(source, read), n)
                put(target, place + n - 8, recent)
            else:
                if n > 60:
                    more = n - 60
                    n, read = (half(source, read) & ((1 << 8 * more) - 1)) + 1, read + more
                if n > end - read or n > last - place:
                    return -1, place
                _literal(packed, read, n, end, out, place)
                recent = word(target, place + n - 8)
            read += n
            place += n
            continue
        n, back, read = _copy(source, tag, read)
        if back == 0 or back > place - at:
            return -1, place
        if back < 8:
            for j in range(place, place + n):
                out[j] = out[j - back]
            recent = word(target, place + n - 8)
        elif n < 8:
            recent = _joined(recent, recent if back == 8 else word(target, place - back), n)
            put(target, place + n - 8, recent)
        else:
            recent = _repeated(target, place, back, n, recent)
        place += n
    return read, place


@compiled
def _joined(recent: Any, more: Any, n: Any) -> Any:
    """The last eight bytes, when n < 8 more have come."""
    return recent >> np.uint64(8 * n) | more << np.uint64(64 - 8 * n)


@compiled
def _literal(packed: Any, read: Any, n: Any, end: Any, out: Any, place: Any) -> None:
    if n > _LONG:
        copy(octets(out), place, octets(packed), read, n)
    elif n + 8 <= end - read:
        source, target = octets(packed), octets(out)
        for j in range(0, n, 8):
            put(target, place + j, word(source, read + j))
    else:
        for j in range(n):
            out[place + j] = packed[read + j]


@compiled
def _copy(source: Any, tag: Any, read: Any) -> Any:
    """How much is copied from how far back, and where the next element begins."""
    if tag & 3 == 1:
        return ((tag >> 2) & 7) + 4, (tag >> 5 << 8) | byte(source, read + 1), read + 2
    if tag & 3 == 2:
        return (tag >> 2) + 1, half(source, read + 1) & 0xFFFF, read + 3
    return (tag >> 2) + 1, half(source, read + 1), read + 5


@compiled
def _repeated(target: Any, place: Any, back: Any, n: Any, recent: Any) -> Any:
    """Copy n >= 8 bytes from eight or more back; returns the last eight."""
    before = some = recent
    for j in range(0, n, 8):
        before, some = some, recent if back == 8 else word(target, place - back + j)
        put(target, place + j, some)
    return some if n & 7 == 0 else _joined(before, some, n & 7)


@compiled
def _carefully(packed: Any, read: Any, end: Any, out: Any, at: Any, place: Any, size: Any) -> Any:
    """What is left, byte by byte; returns whether it fits to the byte."""
    last = at + size
    while read < end:
        tag: Any = np.int64(packed[read])
        read += 1
        kind: Any = tag & 3
        n: Any = (tag >> 2) + 1
        more: Any = max(0, n - 60) if kind == 0 else 4 if kind == 3 else kind
        if more > end - read:
            return False
        told: Any = 0
        for j in range(more):
            told |= np.int64(packed[read + j]) << (8 * j)
        read += more
        if kind == 0:
            n = told + 1 if more else n
            if n > end - read or n > last - place:
                return False
            for j in range(n):
                out[place + j] = packed[read + j]
            read += n
        else:
            n, back = (((tag >> 2) & 7) + 4, (tag >> 5 << 8) | told) if kind == 1 else (n, told)
            if back == 0 or back > place - at or n > last - place:
                return False
            for j in range(place, place + n):
                out[j] = out[j - back]
        place += n
    return place == last
