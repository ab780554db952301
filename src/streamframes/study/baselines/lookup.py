"""Baselines: other ways of doing the same, which stand in `benchmarks/` beside the package, not in it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

from streamframes.errors import StreamFramesError

_CHECKOUT = Path(__file__).resolve().parents[3]


def baseline(name: str) -> ModuleType:
    """The module of `benchmarks/` with this name."""
    if not (_CHECKOUT / "benchmarks" / "__init__.py").exists():
        raise StreamFramesError(
            f"this study compares with benchmarks/{name.replace('.', '/')}.py, which is not installed with the "
            "package; run it in a checkout of the project"
        )
    if str(_CHECKOUT) not in sys.path:
        sys.path.append(str(_CHECKOUT))
    return import_module(f"benchmarks.{name}")
