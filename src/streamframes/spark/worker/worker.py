"""Python workers: what they have loaded is set aside, so that a task costs little.

After every task Spark's worker collects cyclic garbage, which walks through every object of every loaded module:
about 0.1 s with compiled kernels, more than a task of a stream takes. Objects that have come to stay are set aside;
garbage made later is collected as before.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import TypeVar

_T = TypeVar("_T")
# Walking through fewer costs less than a millisecond.
_FEW = 10_000


def lasting(results: Iterator[_T]) -> Iterator[_T]:
    """The results of a task, and then what it has loaded is set aside."""
    yield from results
    set_aside()


def set_aside() -> None:
    """Keep the collector from walking through what is loaded for good."""
    if len(gc.get_objects()) > _FEW:
        gc.collect()
        gc.freeze()
