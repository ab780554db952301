"""Benchmarks in tests measure nothing, so they need not be warm."""

from __future__ import annotations

import pytest

from benchmarks.kit import rounds


@pytest.fixture(autouse=True)
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """One run warms up."""
    monkeypatch.setattr(rounds, "WARM_UP", 0.0)
