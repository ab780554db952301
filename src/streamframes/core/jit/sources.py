"""Sources: a fingerprint of all that a compiled function was made from.

It comes from the contents of the module and of everything that it imports from the core, directly or not. Neither
the place of a file nor its time takes part, and modules in a zip are read as they are imported: by their loader.
"""

from __future__ import annotations

import hashlib
import importlib.util
import pkgutil
import re
from collections.abc import Iterator
from functools import cache

# The rules of schemes plug into the kernel of frames, which does not import them.
_PLUGGED = {"streamframes.core.frames.kernel": "streamframes.core.schemes"}
_IMPORT = re.compile(r"^\s*from (streamframes\.core[\w.]*) import (?:\(([^)]*)\)|(.*))", re.MULTILINE)


@cache
def fingerprint(module: str) -> str | None:
    """What the sources of a module come to, or None where they cannot be read."""
    if _text(module) is None:
        return None
    digest = hashlib.blake2b(digest_size=16)
    for name in sorted(closure(module)):
        digest.update(f"{name}\n{_text(name)}\n".encode())
    return digest.hexdigest()


def closure(module: str) -> set[str]:
    """The module and all that it imports from the core."""
    found, todo = {module}, [module]
    while todo:
        new = set(_imports(todo.pop())) - found
        found |= new
        todo += new
    return found


@cache
def _imports(module: str) -> tuple[str, ...]:
    def named() -> Iterator[str]:
        for package, several, one in _IMPORT.findall(_text(module) or ""):
            yield package
            yield from (f"{package}.{name}" for name in re.findall(r"\w+", several or one))
        if module in _PLUGGED:
            yield from (_PLUGGED[module], *_members(_PLUGGED[module]))

    return tuple(name for name in named() if _text(name) is not None)


def _members(package: str) -> Iterator[str]:
    spec = importlib.util.find_spec(package)
    folders = spec.submodule_search_locations if spec else None
    return (f"{package}.{each.name}" for each in pkgutil.iter_modules(folders or []))


@cache
def _text(module: str) -> str | None:
    """The source of a module of this library; None if there is no such module, or no source beside it."""
    package, *path = module.split(".")
    if package != __name__.partition(".")[0]:
        return None
    for ending in (".py", "/__init__.py"):
        try:
            content = pkgutil.get_data(package, "/".join(path) + ending)
        except OSError:
            continue
        if content is not None:
            return content.decode()
    return None
