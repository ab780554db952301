"""Compiled functions are compiled for what they are called with, and for nothing else."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

from streamframes.core.jit.compiled import called_with_plain_types


@called_with_plain_types
@numba.njit
def _added(total: Any, x: Any, twice: Any = False) -> Any:
    return total + 2 * x if twice else total + x


@numba.njit
def _sum(values: Any) -> Any:
    total = 0
    for x in values:
        total = _added(total, x, twice=True)
    return total


def test_a_variable_that_begins_as_a_literal_does_not_make_what_it_is_given_to_compile_twice() -> None:
    assert _sum(np.arange(4)) == 12
    integer = numba.types.int64
    assert [args[:2] for args in _added.signatures] == [(integer, integer)]
    assert _added(1.5, 2) == 3.5
