"""Where compiled code is kept: a folder for each state of the sources that it was made from.

Numba keys its cache by the file that holds a function, not by the files of the helpers it calls. The folder is
therefore named after the file and everything that it imports from the core, directly or not: change any of it, and
the code is compiled anew.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

CORE = Path(__file__).parents[1]

# The rules of schemes plug into the kernel of frames, which does not import them.
_PLUGGED = {CORE / "frames" / "kernel.py": CORE / "schemes"}
_IMPORT = re.compile(r"^\s*from streamframes\.core\.?([\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


def folder_for(source: Path) -> str | None:
    """The folder for what is compiled from this file, or None (Numba's own choice) where it cannot be written."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return named
    return str(CORE / "__pycache__" / f"numba-{_fingerprint(source)}") if os.access(CORE, os.W_OK) else None


@cache
def _fingerprint(source: Path) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for each in sorted(_closure(source)):
        digest.update(_text(each).encode())
    return digest.hexdigest()


def _closure(source: Path) -> set[Path]:
    """The file and all that it imports from the core."""
    closure, todo = {source}, [source]
    while todo:
        new = set(_imports(todo.pop())) - closure
        closure |= new
        todo += new
    return closure


@cache
def _imports(source: Path) -> tuple[Path, ...]:
    def named() -> Iterator[Path]:
        for module, several, one in _IMPORT.findall(_text(source)):
            folder = CORE.joinpath(*module.split(".")) if module else CORE
            yield from (folder.with_suffix(".py"), folder / "__init__.py")
            yield from (folder / f"{name}.py" for name in re.findall(r"\w+", several or one))
        if source in _PLUGGED:
            yield from _PLUGGED[source].glob("*.py")

    return tuple(path for path in named() if path.is_file())


@cache
def _text(source: Path) -> str:
    return source.read_text(encoding="utf-8")
