"""Small numbers as Parquet stores them: runs of one number, and groups of eight of a few bits each.

Pages say with them which values are null, and where in the dictionary a value stands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.files.parquet.headers import varint
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import octets, word

WIDEST = 32
"""How many bits a number may have."""


@compiled
def small_numbers(data: Any, at: Any, end: Any, width: Any, out: Any, n: Any) -> Any:
    """The first `n` numbers; returns whether there are as many. Behind `end` there is room for a word."""
    source, done = octets(data), 0
    size = (width + 7) // 8
    mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
    while done < n:
        at, head = varint(data, at, end)
        if at < 0:
            return False
        if head & 1:
            groups = min(head >> 1, (n - done + 7) >> 3)
            stored, count = groups * width, min(8 * groups, n - done)
            if stored > end - at:
                return False
            for i in range(count):
                bit = i * width
                out[done + i] = (word(source, at + (bit >> 3)) >> np.uint64(bit & 7)) & mask
        else:
            stored, count = size, min(head >> 1, n - done)
            if stored > end - at:
                return False
            out[done : done + count] = np.int32(word(source, at) & mask)
        at += stored
        done += count
    return True


@compiled
def all_there(data: Any, at: Any, end: Any, n: Any) -> Any:
    """Whether levels of one bit say of `n` values that none is null."""
    done = 0
    while done < n:
        at, head = varint(data, at, end)
        if at < 0 or at >= end:
            return False
        if head & 1:
            bits = min(8 * (head >> 1), n - done)
            if head >> 1 > end - at:
                return False
            for i in range(bits):
                if not data[at + (i >> 3)] >> (i & 7) & 1:
                    return False
            at += head >> 1
            done += bits
        else:
            if not data[at] & 1:
                return False
            at += 1
            done += head >> 1
    return True
