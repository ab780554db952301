"""Compiled code is reused wherever the same sources lie, and made anew when they, or what was kept, have changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import streamframes
from streamframes.core.batch import groups
from streamframes.core.jit import cache, folders
from streamframes.core.jit.compiled import compiled

PROGRAM = """
import sys, numpy as np
from streamframes.core.batch.groups import mix
print(sys.modules["streamframes"].__file__, mix(np.uint64(1)), sum(mix.stats.cache_misses.values()))
"""
MIXED = int(groups.mix(np.uint64(1)))
# Root may write everything, unless it gives that right away.
AS_OTHERS = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"] if os.getuid() == 0 else []


class Outcome(NamedTuple):
    """What a process computed, and how often it had to compile."""

    value: int
    compiled: int


def run(library: Path, prefix: Sequence[str] = (), **environment: object) -> Outcome:
    """A process that calls a compiled function of the library in this folder or zip."""
    kept = {name: value for name, value in os.environ.items() if name not in ("STREAMFRAMES_CACHE_DIR", "HOME")}
    printed = subprocess.run(
        [*prefix, sys.executable, "-B", "-c", PROGRAM],
        env=kept | {"PYTHONPATH": str(library)} | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert printed.returncode == 0, printed.stderr
    path, value, misses = printed.stdout.split()
    assert path.startswith(str(library))
    return Outcome(int(value), int(misses))


@pytest.fixture
def library(tmp_path: Path) -> Path:
    """A copy of the library, without anything compiled."""
    source = Path(streamframes.__file__).parent
    shutil.copytree(source, tmp_path / "lib" / "streamframes", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "lib"


def test_the_same_sources_elsewhere_are_not_compiled_again(library: Path, tmp_path: Path) -> None:
    assert run(library, STREAMFRAMES_CACHE_DIR=tmp_path / "kept") == (MIXED, 1)
    library.rename(tmp_path / "moved")
    for path in (tmp_path / "moved").rglob("*.py"):
        os.utime(path, (1, 1))
    assert run(tmp_path / "moved", STREAMFRAMES_CACHE_DIR=tmp_path / "kept") == (MIXED, 0)


@pytest.mark.parametrize("name", ["STREAMFRAMES_CACHE_DIR", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME"])
def test_changed_sources_of_the_same_time_and_size_are_compiled_again(name: str, library: Path, tmp_path: Path) -> None:
    environment = {name: tmp_path / "kept"}
    prefix = AS_OTHERS if name == "XDG_CACHE_HOME" else []
    changed = library / "streamframes" / "core" / "batch" / "groups.py"
    before = changed.stat()
    if prefix:
        (library / "streamframes" / "core").chmod(0o555)
    assert run(library, prefix, **environment) == (MIXED, 1)
    text = changed.read_text()
    changed.write_text(text.replace("0x94D049BB133111EB", "0x94D049BB133111ED"))
    os.utime(changed, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert changed.stat().st_size == before.st_size
    value, misses = run(library, prefix, **environment)
    assert (value != MIXED, misses) == (True, 1)
    changed.write_text(text)
    assert run(library, prefix, **environment) == (MIXED, 0)


def test_a_read_only_installation_is_read_and_what_it_lacks_is_kept_elsewhere(library: Path, tmp_path: Path) -> None:
    core = library / "streamframes" / "core"
    (tmp_path / "temporary").mkdir()
    nowhere = {"HOME": "/dev/null/home", "TMPDIR": tmp_path / "temporary"}
    core.chmod(0o555)
    assert run(library, AS_OTHERS, **nowhere) == (MIXED, 1)
    assert run(library, AS_OTHERS, **nowhere) == (MIXED, 0)
    core.chmod(0o755)
    (kept,) = (tmp_path / "temporary").glob("streamframes-*")
    shutil.copytree(kept, core / "__pycache__" / "compiled")
    shutil.rmtree(kept)
    (core / "__pycache__" / "compiled").chmod(0o555)
    assert run(library, AS_OTHERS, **nowhere) == (MIXED, 0)
    assert list((tmp_path / "temporary").glob("streamframes-*/*")) == []


def test_a_zip_is_read_and_its_code_is_reused_by_the_next(library: Path, tmp_path: Path) -> None:
    for name, misses in (("one.zip", 1), ("two.zip", 0)):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for path in library.rglob("*.py"):
                archive.write(path, path.relative_to(library))
        assert run(tmp_path / name, XDG_CACHE_HOME=tmp_path / "kept") == (MIXED, misses)


def test_processes_that_compile_at_once_do_not_disturb_each_other(library: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-B", "-c", PROGRAM]
    environment = os.environ | {"PYTHONPATH": str(library), "STREAMFRAMES_CACHE_DIR": str(tmp_path / "kept")}
    running = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [int(process.communicate()[0].split()[1]) for process in running] == [MIXED] * 3
    assert run(library, STREAMFRAMES_CACHE_DIR=tmp_path / "kept") == (MIXED, 0)
    assert [path.suffix for path in (tmp_path / "kept").iterdir()] == [".nbc"]


class Rule(NamedTuple):
    """A rule that does not belong to the library."""

    bound: int = 3


def _doubled(value: Any) -> Any:
    return value + value


@pytest.fixture
def kept(tmp_path: Path) -> Any:
    folders.use_only(tmp_path)
    yield tmp_path
    folders.use_only(None)


@pytest.fixture
def _known(monkeypatch: Any) -> None:
    monkeypatch.setattr(cache.sources, "fingerprint", lambda module: "known")


@pytest.mark.usefixtures("_known")
@pytest.mark.parametrize("damage", [b"", b"short", "first", "middle", "last"])
def test_a_damaged_file_is_compiled_again_and_mended(damage: bytes | str, kept: Path) -> None:
    assert compiled(_doubled)(4) == 8
    (file,) = kept.iterdir()
    whole = file.read_bytes()
    at = {"first": 0, "middle": len(whole) // 2, "last": len(whole) - 1}.get(str(damage), 0)
    file.write_bytes(damage if isinstance(damage, bytes) else whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
    again: Any = compiled(_doubled)
    assert again(4) == 8
    assert sum(again.stats.cache_misses.values()) == 1
    third: Any = compiled(_doubled)
    assert third(4) == 8
    assert sum(third.stats.cache_hits.values()) == 1


@pytest.mark.usefixtures("_known")
def test_code_for_other_types_is_another_file(kept: Path) -> None:
    function: Any = compiled(_doubled)
    assert (function(4), function(1.5), function(np.ones(1, np.int32)).tolist()) == (8, 3.0, [2])
    files = list(kept.iterdir())
    assert len(files) == 3
    files[0].write_bytes(files[1].read_bytes())  # what is another's is not believed
    again: Any = compiled(_doubled)
    assert (again(4), again(1.5), again(np.ones(1, np.int32)).tolist()) == (8, 3.0, [2])
    assert sum(again.stats.cache_misses.values()) == 1


@pytest.mark.usefixtures("_known")
def test_a_rule_from_elsewhere_leaves_nothing_on_disk(kept: Path) -> None:
    first: Any = compiled(lambda rule: rule.bound)
    assert first(Rule()) == 3
    assert list(kept.iterdir()) == []


def test_a_function_from_elsewhere_is_compiled_in_memory(kept: Path) -> None:
    assert compiled(_doubled)(4) == 8
    assert list(kept.iterdir()) == []
