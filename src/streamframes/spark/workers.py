"""Python workers: what they have loaded is set aside, so that a task costs little.

After every task Spark's worker collects cyclic garbage, which walks through every object of every loaded module:
about 0.1 s with compiled kernels, more than a task of a stream takes. Objects that stay for good are shown to the
collector once and then set aside; garbage made later is collected as before.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TypeVar

_T = TypeVar("_T")
_set_aside: set[str] = set()


def lasting(kind: str, results: Iterator[_T]) -> Iterator[_T]:
    """The results of a task; after the first task of its kind, what it has loaded is set aside."""
    yield from results
    if kind not in _set_aside:
        _set_aside.add(kind)
        gc.collect()
        gc.freeze()
