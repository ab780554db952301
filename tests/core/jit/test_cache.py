"""Compiled code is made anew when any source changes that it was made from, and only then.

Covers: streamframes.core.jit.compiled
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streamframes.core.jit import cache

KERNEL = cache.CORE / "frames" / "kernel.py"


def test_a_kernel_depends_on_what_it_imports_and_on_the_rules_that_plug_into_it() -> None:
    found = {str(path.relative_to(cache.CORE)) for path in cache._closure(KERNEL)}
    assert {"frames/kernel.py", "jit/compiled.py", "schemes/delta.py", "batch/clock.py"} <= found
    assert not any(path.startswith(("sessions", "regions", "bursts")) for path in found)


@pytest.mark.parametrize(("changed", "moves"), [("schemes/delta.py", True), ("sessions/kernels/engine.py", False)])
def test_the_folder_follows_the_sources(changed: str, moves: bool, monkeypatch: Any) -> None:
    text = cache._text

    def edited(source: Path) -> str:
        return text(source) + ("# changed" if source == cache.CORE / changed else "")

    before = cache.folder_for(KERNEL)
    monkeypatch.setattr(cache, "_text", edited)
    cache._fingerprint.cache_clear()
    assert (cache.folder_for(KERNEL) != before) is moves
    cache._fingerprint.cache_clear()
