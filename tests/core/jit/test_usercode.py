"""Functions of users: compiled where Numba can, and spelled alike in every process."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

from streamframes.core.jit import usercode


def test_the_spelling_of_a_function_follows_what_it_does() -> None:
    def scaled(factor: float) -> Any:
        return lambda v: v * factor

    assert usercode.code_of(scaled(2)) == usercode.code_of(scaled(2)) != usercode.code_of(scaled(3))
    assert usercode.code_of(lambda v: v + 1) != usercode.code_of(lambda v: v + 2)
    assert usercode.code_of(max) == "builtins.max"
    assert "partial" in usercode.code_of(functools.partial(max, 1))


def test_what_numba_cannot_compile_stays_python() -> None:
    def probe(function: Any) -> None:
        float(function(1.0))

    assert usercode.jitted([lambda v: 2 * v], probe) is not None
    assert usercode.jitted([lambda v: float(f"{v:.0f}")], probe) is None


def test_a_function_is_built_once() -> None:
    calls: list[int] = []
    for _ in range(2):
        assert usercode.built_once("a key of this test", lambda: calls.append(1) or len(calls)) == 1
    assert calls == [1]


@pytest.mark.parametrize("access", [usercode.PLAIN, usercode.COMPILED], ids=["plain", "compiled"])
def test_a_record_is_written_and_read(access: usercode.RecordAccess) -> None:
    record = np.zeros(3)
    access.store(record, (1, 2.5))
    assert record.tolist() == [1.0, 2.5, 0.0]
    if access is usercode.PLAIN:
        assert access.as_tuple(record, 2) == (1.0, 2.5)
