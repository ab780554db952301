"""Which folders compiled code is kept in, and which files in them are trusted."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamframes.core.jit import folders

NOWHERE = Path(os.devnull, "folder")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    folders.use_only(None)


@pytest.fixture
def elsewhere(monkeypatch: Any, tmp_path: Path) -> Path:
    """An installation that cannot be written, no home, and a temporary folder."""
    for name in ("STREAMFRAMES_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(NOWHERE))
    monkeypatch.setattr(folders, "INSTALLED", NOWHERE)
    monkeypatch.setattr(folders.tempfile, "tempdir", str(tmp_path))
    folders.places.cache_clear()
    return tmp_path


def test_a_folder_that_is_named_is_the_only_one(elsewhere: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(elsewhere / "numba"))
    assert folders.places() == ((elsewhere / "numba" / "streamframes",), elsewhere / "numba" / "streamframes")
    monkeypatch.setenv("STREAMFRAMES_CACHE_DIR", str(elsewhere / "named"))
    folders.places.cache_clear()
    assert folders.places() == ((elsewhere / "named",), elsewhere / "named")


def test_an_installation_that_can_be_written_keeps_its_own(elsewhere: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(folders, "INSTALLED", elsewhere / "installed")
    assert folders.places() == ((elsewhere / "installed",), elsewhere / "installed")


def test_an_installation_that_cannot_be_written_is_read_before_the_users_caches(
    elsewhere: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(elsewhere))
    assert folders.places() == ((NOWHERE, elsewhere / "streamframes"), elsewhere / "streamframes")


def test_without_a_home_a_private_temporary_folder_is_used(elsewhere: Path) -> None:
    kept = folders.places().write
    assert kept is not None
    assert kept.parent == elsewhere
    assert kept.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("occupied", ["open to all", "of another user", "a link"])
def test_a_temporary_folder_that_another_may_write_is_refused(occupied: str, elsewhere: Path) -> None:
    folder = elsewhere / f"streamframes-{os.getuid()}"
    if occupied == "a link":
        (elsewhere / "else").mkdir(mode=0o700)
        folder.symlink_to(elsewhere / "else")
    else:
        folder.mkdir()
        if occupied == "open to all":
            folder.chmod(0o777)
        elif os.getuid() == 0:
            os.chown(folder, 4321, 4321)
        else:
            pytest.skip("only root can give a folder away")
    assert folders.places().write is None


def test_nothing_is_kept_where_there_is_no_folder() -> None:
    folders.use_only(NOWHERE)
    folders.write("a", b"1")
    assert list(folders.read("a")) == []


def test_what_is_written_is_read_and_leaves_nothing_else(tmp_path: Path) -> None:
    folders.use_only(tmp_path / "kept")
    folders.write("a", b"1")
    folders.write("a", b"22")
    assert list(folders.read("a")) == [b"22"]
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["a"]


def test_a_file_that_others_may_write_is_not_read(tmp_path: Path) -> None:
    folders.use_only(tmp_path)
    folders.write("a", b"1")
    (tmp_path / "a").chmod(0o666)
    assert list(folders.read("a")) == []


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_read(tmp_path: Path) -> None:
    folders.use_only(tmp_path)
    folders.write("a", b"1")
    os.chown(tmp_path / "a", 4321, 4321)
    assert list(folders.read("a")) == []
