"""`check_scheme` passes every scheme that is shipped, and finds one that breaks a law.

Covers: streamframes.core.theory.laws
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import streamframes as sf

SHIPPED = [
    sf.Threshold("drop > 0.3", until="drop < 0.1", merge_gap=3, gaps=True, min_duration=2),
    sf.Delta("v", "<", 0.1, base="first", max_gap=3),
    sf.Delta({"density": 0.1, "mass": 0.2}, ">="),
    sf.Boundary({"x": 4.25, "y": [0, 10, 25]}),
    sf.Aggregate("sum(volume)", ">=", 25, max_rows=100),
    sf.Change("state", "mode", nulls="skip"),
    sf.Gap(3),
    sf.Every(3, slide=2),
    sf.Count(100, slide=10),
]


@pytest.mark.parametrize("scheme", SHIPPED, ids=lambda scheme: type(scheme).__name__)
def test_every_shipped_scheme_keeps_the_laws(scheme: Any) -> None:
    sf.check_scheme(scheme, examples=30)


calls: list[Any] = []


@dataclass(frozen=True, eq=False)
class Forgetful(sf.OwnScheme):
    """Breaks a law: it opens frames by how often it has been called."""

    def opens(self, row: Any) -> bool:
        calls.append(row)
        return len(calls) % 3 == 0

    def closes(self, row: Any, frame: Any) -> int:
        return sf.AFTER if frame.rows == 1 else sf.GOES_ON


def test_a_scheme_that_breaks_a_law_is_refused() -> None:
    with pytest.raises(sf.BrokenLaw, match=r"changes? nothing|shifts frames"):
        sf.check_scheme(Forgetful())
