"""Folders: where compiled code is kept, and which of what lies there is trusted.

  STREAMFRAMES_CACHE_DIR, NUMBA_CACHE_DIR     a folder that somebody chose
  the installation                            what was shipped with it, or made by whoever may write there
  the user's caches                           ~/.cache/streamframes, or the like
  a temporary folder of this user             its mode is 0700

Code is written to the first of these that can be written, and read from it and those before it: what a read-only
installation has need not be compiled again. A file is read only if it belongs to this user, to root or to whom
the library belongs, and nobody else may write to it.
"""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

INSTALLED = Path(__file__).parents[1] / "__pycache__" / "compiled"
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH

_only: list[Path] = []


class Places(NamedTuple):
    """Where compiled code is looked for, and where it is kept, if anywhere."""

    read: tuple[Path, ...]
    write: Path | None


def read(name: str) -> Iterator[bytes]:
    """The files of this name that can be trusted."""
    for folder in places().read:
        with contextlib.suppress(OSError), (folder / name).open("rb") as file:
            if _trusted(os.fstat(file.fileno())):
                yield file.read()


def write(name: str, content: bytes) -> None:
    """Keep a file, all of it or nothing, where there is a folder for it."""
    folder = places().write
    if folder is None:
        return
    with contextlib.suppress(OSError):  # a full disk is no reason to stop
        number, part = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(content)
            Path(part).chmod(0o644)  # another user may run what this one has compiled
            Path(part).replace(folder / name)
        finally:
            Path(part).unlink(missing_ok=True)


def use_only(folder: Path | None) -> None:
    """Read from and write to this folder alone, or again to what the environment says."""
    _only[:] = [] if folder is None else [folder]
    places.cache_clear()


@cache
def places() -> Places:
    """The folders to read from, up to the first that can be written."""
    read: list[Path] = []
    for folder in _only or _candidates():
        read.append(folder)
        if _can_be_written(folder):
            return Places(tuple(read), folder)
    return Places(tuple(read), None)


def _candidates() -> Iterator[Path]:
    if named := os.environ.get("STREAMFRAMES_CACHE_DIR"):
        yield Path(named)
    elif named := os.environ.get("NUMBA_CACHE_DIR"):
        yield Path(named, "streamframes")
    yield INSTALLED
    if base := _user_caches():
        yield base / "streamframes"
    with contextlib.suppress(OSError):  # where no temporary file can be made, there is no folder for them
        folder = Path(tempfile.gettempdir(), f"streamframes-{_user()}")
        if _is_private(folder):
            yield folder


def _user_caches() -> Path | None:
    """The folder for caches of this user, where there is a home."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", ""))
    elif sys.platform == "darwin":
        base = Path("~/Library/Caches")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    with contextlib.suppress(RuntimeError):  # no home is known
        base = base.expanduser()
    return base if base.is_absolute() else None


def _can_be_written(folder: Path) -> bool:
    """Whether a file can be made there, and is then trusted."""
    try:
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            return _trusted(os.fstat(file.fileno()))
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """Whether a folder in a place that is open to all is this user's own; it is made if it does not exist."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == _user() and not found.st_mode & _OTHERS_MAY_WRITE


def _trusted(found: os.stat_result) -> bool:
    """Whether a file belongs to those who may change what runs here, and they alone may write to it."""
    library = _library()
    allowed = library.st_mode & _OTHERS_MAY_WRITE  # whoever may write to the library may change its code too
    owners = {0, _user(), library.st_uid}
    return found.st_uid in owners and not found.st_mode & _OTHERS_MAY_WRITE & ~allowed


@cache
def _library() -> os.stat_result:
    """The folder of this library, or the archive that it lies in."""
    return next(folder for folder in Path(__file__).parents if folder.exists()).stat()


def _user() -> int:
    return os.getuid() if sys.platform != "win32" else 0
