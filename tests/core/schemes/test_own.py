"""Own schemes: the methods of a user, compiled or in plain Python, with one or several frames open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock


@dataclass(frozen=True, eq=False)
class Twos(sf.OwnScheme):
    """Two frames may be open at once; each has two rows."""

    value: str
    state = {"seen": 0}  # noqa: RUF012  (declared like this by a user)
    max_open = 1

    def columns(self) -> dict[str, str]:
        return {"v": self.value}

    def opens(self, row: Any) -> bool:
        return row.v > 0

    def closes(self, row: Any, frame: Any) -> int:
        return sf.AFTER if frame.rows == 1 else sf.GOES_ON

    def update(self, row: Any, frame: Any) -> tuple[float, ...]:
        return (frame.seen + 1,)


@dataclass(frozen=True, eq=False)
class Crowded(Twos):
    """The same with places for two."""

    max_open = 2


@dataclass(frozen=True, eq=False)
class Spoken(Twos):
    """The same in Python that Numba does not compile."""

    def opens(self, row: Any) -> bool:
        return f"{row.v:.0f}" not in {"0", "-1"}


@pytest.mark.parametrize(("scheme", "kernel"), [(Twos("v"), "fresh"), (Crowded("v"), "fresh"), (Spoken("v"), "python")])
def test_own_schemes_keep_the_laws_compiled_or_not(scheme: Any, kernel: str) -> None:
    assert scheme.compile(Clock("integer")).kernel == kernel
    sf.check_scheme(scheme, examples=60)


@dataclass(frozen=True, eq=False)
class Minute(sf.OwnScheme):
    """Looks at instants only, in plain Python."""

    def opens(self, row: Any) -> bool:
        return str(row.ts) != "3"

    def closes(self, row: Any, frame: Any) -> int:
        return sf.BEFORE if row.ts - frame.start > 2 else sf.GOES_ON


def test_own_schemes_need_no_columns() -> None:
    assert sf.frames_of(Minute(), ts=[1, 3, 5]) == [sf.Frame(1, 3, 2, "condition"), sf.Frame(5, 5, 1, "end of data")]


def test_own_schemes_may_have_several_frames_open() -> None:
    assert sf.frames_of(Twos("v"), ts=[1, 2, 3], v=[1.0, 1.0, 1.0]) == [
        sf.Frame(1, 2, 2, "condition"),
        sf.Frame(3, 3, 1, "end of data"),
    ]
    assert sf.frames_of(Crowded("v"), ts=[1, 2, 3], v=[1.0, 1.0, 0.0]) == [
        sf.Frame(1, 2, 2, "condition"),
        sf.Frame(2, 3, 2, "condition"),
    ]


@dataclass(frozen=True, eq=False)
class TooMany(Crowded):
    """Three rows a frame, so that two places do not suffice."""

    def closes(self, row: Any, frame: Any) -> int:
        return sf.AFTER if frame.rows == 2 else sf.GOES_ON


def test_more_open_frames_than_declared_are_an_error() -> None:
    with pytest.raises(sf.StreamFramesError, match="more than max_open=2 frames open at once; declare a larger"):
        sf.frames_of(TooMany("v"), ts=[1, 2, 3], v=[1.0, 1.0, 1.0])
