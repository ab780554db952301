"""Texts by number: group values that come as plain text, looked up by a quick hash of their words.

Fingerprints look at text byte by byte, so that they are the same everywhere. Here only texts of one worker are told
apart, by 128 bits as well, of which 32 are given up for the number; a text that is not known gets its fingerprint.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types as numba_types

from streamframes.core.compiled import compiled
from streamframes.core.groups import GroupIndex, as_text, fingerprints, mix, validity
from streamframes.core.sessions.pointers import fetch, intrinsic, words

types: Any = numba_types
# Hashes are worked out so many rows ahead, and their slots fetched: waiting for memory takes most of the time.
_BLOCK = 128
_NULL = 0x9E3779B97F4A7C15


@intrinsic
def _word(context: Any, data: Any, at: Any) -> Any:
    """Eight bytes of an array of bytes, wherever they begin."""

    def made(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        start = context.make_array(signature.args[0])(context, builder, args[0]).data
        place = builder.bitcast(builder.gep(start, [args[1]]), ir.PointerType(ir.IntType(64)))
        return builder.load(place, align=1)

    return types.uint64(data, types.int64), made


@compiled
def _hash(data: Any, low: Any, high: Any) -> Any:
    """128 bits of a text."""
    size = high - low
    a, b = np.uint64(size), np.uint64(0xC2B2AE3D27D4EB4F)
    if size < 8:
        word = np.uint64(0)
        for j in range(low, high):
            word = (word << np.uint64(8)) | np.uint64(data[j])
        return mix(a * np.uint64(0x9E3779B97F4A7C15) ^ word), mix(b ^ word * np.uint64(0xD6E8FEB86659FD93))
    at = low
    while at + 8 < high:
        word = _word(data, np.int64(at))
        a = mix(a ^ word)
        b = (b ^ word) * np.uint64(0xD6E8FEB86659FD93)
        b ^= b >> np.uint64(32)
        at += 8
    word = _word(data, np.int64(high - 8))
    return mix(a ^ word), mix(b + word * np.uint64(0x9E3779B97F4A7C15))


@compiled
def _look_up(offsets: Any, data: Any, valid: Any, slots: Any, codes: Any) -> Any:
    """The number of each text, or -1; returns how many are not known."""
    mask = slots.size // 2 - 1
    one, other = np.empty(_BLOCK, np.uint64), np.empty(_BLOCK, np.uint64)
    pointer = words(slots)
    missed = 0
    for begin in range(0, codes.size, _BLOCK):
        n = min(_BLOCK, codes.size - begin)
        for k in range(n):
            i = begin + k
            if valid.size and not valid[i]:
                one[k], other[k] = np.uint64(_NULL), np.uint64(_NULL)
            else:
                one[k], other[k] = _hash(data, offsets[i], offsets[i + 1])
            fetch(pointer, 2 * (np.int64(one[k]) & mask))
        for k in range(n):
            number = _find(slots, mask, one[k], other[k])
            codes[begin + k] = number
            missed += number < 0
    return missed


@compiled
def _find(slots: Any, mask: Any, one: Any, other: Any) -> Any:
    """A slot is the first hash, then half of the second beside the number counted from 1."""
    at = np.int64(one) & mask
    half = np.int64(other) >> 32
    while slots[2 * at + 1] != 0:
        if slots[2 * at] == np.int64(one) and slots[2 * at + 1] >> 32 == half:
            return (slots[2 * at + 1] & 0xFFFFFFFF) - 1
        at = (at + 1) & mask
    return -1


@compiled
def _add(offsets: Any, data: Any, valid: Any, rows: Any, numbers: Any, slots: Any) -> Any:
    """Put texts with their numbers into the table; returns how many were new to it."""
    mask = slots.size // 2 - 1
    added = 0
    for k in range(rows.size):
        i = rows[k]
        one, other = np.uint64(_NULL), np.uint64(_NULL)
        if not valid.size or valid[i]:
            one, other = _hash(data, offsets[i], offsets[i + 1])
        if _find(slots, mask, one, other) >= 0:
            continue
        at = np.int64(one) & mask
        while slots[2 * at + 1] != 0:
            at = (at + 1) & mask
        slots[2 * at] = np.int64(one)
        slots[2 * at + 1] = (np.int64(other) >> 32 << 32) | (numbers[k] + 1)
        added += 1
    return added


class Texts:
    """The texts that have been met, and the numbers of their groups."""

    def __init__(self, index: GroupIndex) -> None:
        self.index = index
        self.slots = np.zeros(1 << 13, np.int64)
        self.size = 0

    def numbers(self, array: pa.Array, schema: pa.Schema) -> np.ndarray:
        """The number of each row's group, of which the array is the only column."""
        text = as_text(array)
        _, offsets, data = text.buffers()
        wide = pa.types.is_large_binary(text.type)
        offsets = np.frombuffer(offsets, np.int64 if wide else np.int32)[text.offset : text.offset + len(text) + 1]
        data = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(8, np.uint8)
        valid = validity(array)
        codes = np.empty(len(array), np.int32)
        if _look_up(offsets, data, valid, self.slots, codes):
            missed = np.flatnonzero(codes < 0)
            some = array.take(pa.array(missed))
            keys = pa.RecordBatch.from_arrays([some], schema=schema)
            fresh = self.index.numbers_of_rows(*fingerprints([some], missed.size), keys)
            codes[missed] = fresh
            self._room_for(len(self.index))
            self.size += _add(offsets, data, valid, missed, fresh, self.slots)
        return codes

    def _room_for(self, groups: int) -> None:
        """A table that is at most half full; what was in it is put in again when it is met."""
        wanted = 1 << max(12, int(2 * groups).bit_length())
        if 2 * wanted > self.slots.size:
            self.slots, self.size = np.zeros(2 * wanted, np.int64), 0
