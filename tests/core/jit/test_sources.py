"""The fingerprint of compiled code follows the sources that it was made from, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from streamframes.core.jit import sources

KERNEL = "streamframes.core.frames.kernel"


def test_a_kernel_depends_on_what_it_imports_and_on_the_rules_that_plug_into_it() -> None:
    found = {name.removeprefix("streamframes.core.") for name in sources.closure(KERNEL)}
    assert {"frames.kernel", "jit.compiled", "schemes", "schemes.delta", "batch.clock"} <= found
    assert not any(name.startswith(("sessions", "regions", "bursts")) for name in found)


@pytest.mark.parametrize(("changed", "moves"), [("schemes.delta", True), ("sessions.kernels.engine", False)])
def test_the_fingerprint_follows_the_sources(changed: str, moves: bool, monkeypatch: Any) -> None:
    text = sources._text

    def edited(module: str) -> str | None:
        return (
            f"{text(module)}{'# changed' if module == f'streamframes.core.{changed}' else ''}" if text(module) else None
        )

    before = sources.fingerprint(KERNEL)
    monkeypatch.setattr(sources, "_text", edited)
    sources.fingerprint.cache_clear()
    assert (sources.fingerprint(KERNEL) != before) is moves
    sources.fingerprint.cache_clear()


@pytest.mark.parametrize("module", ["streamframes.core.nowhere", "__main__", "numpy"])
def test_what_is_not_of_this_library_has_no_fingerprint(module: str) -> None:
    assert sources.fingerprint(module) is None
