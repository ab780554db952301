"""Texts by number: group values that come as plain text, looked up by a quick hash of their words.

Fingerprints look at text byte by byte, so that they are the same everywhere. Here only texts of one worker are
compared, by 128 bits as well, of which 32 are given up for the number; a text that is not known gets its fingerprint.

This table beside the group index pays: of a scan of 100,000 text keys the index alone would take 89 ns a row instead of
76 (threshold) and 68 instead of 53 (delta); of 100 keys, which come as a dictionary, as long.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import mix, text_bytes, validity
from streamframes.core.files.keys.hash_table import BLOCK, HashTable
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import byte, fetch, half, inlined, octets, octets_at, word, words

_NULL = 0x9E3779B97F4A7C15
_IN_VIEW = 12
"""Texts of so many bytes stand in their view."""


@inlined
def _hash(pointer: Any, at: Any, last: Any) -> Any:
    """128 bits of a text. Of up to sixteen bytes no two texts of a length have the same."""
    size = last - at
    a, b = np.uint64(0), np.uint64(size) * np.uint64(0xD6E8FEB86659FD93)
    if size >= 8:
        while last - at > 16:
            one, other = word(pointer, at), word(pointer, at + 8)
            a = mix(a ^ other) + one * np.uint64(0xA0761D6478BD642F)
            b = mix(b ^ one) + other * np.uint64(0xC2B2AE3D27D4EB4F)
            at += 16
        at = min(at, last - 8)
        one, other = word(pointer, at), word(pointer, last - 8)
    elif size >= 4:
        one, other = np.uint64(half(pointer, at)), np.uint64(half(pointer, last - 4))
    else:
        one, other = np.uint64(0), np.uint64(0)
        for j in range(at, last):
            one = one << np.uint64(8) | np.uint64(byte(pointer, j))
    b = (b ^ other) * np.uint64(0x9E3779B97F4A7C15)
    return mix(one ^ a ^ b ^ b >> np.uint64(32)), b


@compiled
def _look_up(offsets: Any, data: Any, valid: Any, slots: Any, codes: Any, fresh: Any, begin: Any, room: Any) -> Any:
    """The codes of rows from `begin` on, until there is no room for new texts; returns the next row."""
    mask = slots.size // 2 - 1
    one, other = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    pointer, source = words(slots), octets(data)
    while begin < codes.size and room >= BLOCK:
        n = min(BLOCK, codes.size - begin)
        for k in range(n):
            i = begin + k
            if valid.size and not valid[i]:
                one[k], other[k] = np.uint64(_NULL), np.uint64(_NULL)
            else:
                one[k], other[k] = _hash(source, np.int64(offsets[i]), np.int64(offsets[i + 1]))
            fetch(pointer, 2 * (np.int64(one[k]) & mask))
        room -= _number(pointer, mask, one, other, codes[begin : begin + n], fresh, begin)
        begin += n
    return begin


@compiled
def _look_up_views(
    views: Any, addresses: Any, valid: Any, slots: Any, codes: Any, fresh: Any, begin: Any, room: Any
) -> Any:
    """The same for views: a length and the text, if it has up to twelve bytes, or a buffer and where it begins."""
    mask = slots.size // 2 - 1
    one, other = np.empty(BLOCK, np.uint64), np.empty(BLOCK, np.uint64)
    pointer, source, buffers = words(slots), octets(views), words(addresses)
    while begin < codes.size and room >= BLOCK:
        n = min(BLOCK, codes.size - begin)
        for k in range(n):
            i = begin + k
            size = half(source, 16 * i)
            if valid.size and not valid[i]:
                one[k], other[k] = np.uint64(_NULL), np.uint64(_NULL)
            elif size <= _IN_VIEW:
                one[k], other[k] = _hash(source, 16 * i + 4, 16 * i + 4 + size)
            else:
                first = half(source, 16 * i + 12)
                one[k], other[k] = _hash(octets_at(buffers, half(source, 16 * i + 8)), first, first + size)
            fetch(pointer, 2 * (np.int64(one[k]) & mask))
        room -= _number(pointer, mask, one, other, codes[begin : begin + n], fresh, begin)
        begin += n
    return begin


@inlined
def _number(slots: Any, mask: Any, one: Any, other: Any, codes: Any, fresh: Any, begin: Any) -> Any:
    """The codes of a block of rows, of which the first is `begin`; returns how many of its texts are new."""
    before = fresh[0]
    for k in range(codes.size):
        at = 2 * _place(slots, mask, one[k], other[k])
        if slots[at + 1] == 0:
            slots[at] = np.int64(one[k])
            slots[at + 1] = (np.int64(other[k]) >> 32 << 32) | (0xFFFFFFFF - fresh[0])
            fresh[0] += 1
            fresh[fresh[0]] = begin + k
        codes[k] = np.int32((slots[at + 1] & 0xFFFFFFFF) - 1)
    return fresh[0] - before


@inlined
def _place(slots: Any, mask: Any, one: Any, other: Any) -> Any:
    """Where a text is, or would be: a slot is the first hash, then half of the second beside the number from 1 on."""
    at = np.int64(one) & mask
    half = np.int64(other) >> 32
    while slots[2 * at + 1] != 0 and (slots[2 * at] != np.int64(one) or slots[2 * at + 1] >> 32 != half):
        at = (at + 1) & mask
    return at


@compiled
def _settle(offsets: Any, data: Any, valid: Any, numbers: Any, slots: Any) -> None:
    mask, source = slots.size // 2 - 1, octets(data)
    for i in range(numbers.size):
        one, other = np.uint64(_NULL), np.uint64(_NULL)
        if not valid.size or valid[i]:
            one, other = _hash(source, np.int64(offsets[i]), np.int64(offsets[i + 1]))
        slots[2 * _place(slots, mask, one, other) + 1] = (np.int64(other) >> 32 << 32) | (numbers[i] + 1)


class Texts:
    """The texts that have been met, and the numbers of their groups."""

    def __init__(self) -> None:
        self.slots = HashTable()

    def look_up(self, array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
        """The codes of all rows, and the rows at which a text is met first; see `HashTable`."""
        if not pa.types.is_string_view(array.type):
            return self.slots.look_up(len(array), partial(_look_up, *text_bytes(array)))
        _, views, *buffers = array.buffers()
        of_rows = np.frombuffer(views, np.uint8)[16 * array.offset :]
        addresses = np.array([buffer.address for buffer in buffers] or [0], np.int64)
        return self.slots.look_up(len(array), partial(_look_up_views, of_rows, addresses, validity(array)))

    def settle(self, array: pa.Array, numbers: np.ndarray) -> None:
        """Say the numbers of texts that were new."""
        _settle(*text_bytes(array), numbers, self.slots.words)
