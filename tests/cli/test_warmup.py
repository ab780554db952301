"""Compiled ahead of time: what is run for it can be planned, and workers find what it leaves."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from streamframes.cli.main import app
from streamframes.cli.typical import QUERIES, Rows, rows_in_files


@pytest.fixture(scope="module")
def rows(spark: Any) -> Iterator[Rows]:
    with rows_in_files(spark) as made:
        yield made


@pytest.mark.spark
@pytest.mark.parametrize("verb", QUERIES)
def test_typical_queries_can_be_planned(rows: Rows, verb: str) -> None:
    for name, query in QUERIES[verb].items():
        assert query(rows).columns, name


def test_a_verb_that_has_nothing_to_compile_is_refused() -> None:
    done = CliRunner().invoke(app, ["warmup", "fold"])
    assert done.exit_code == 2
    assert "'fold' has nothing to compile; choose from frames, fill" in done.stderr


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = warm_up("--into", str(tmp_path / "file"))
    assert done.returncode == 1
    assert "choose a folder with --into" in done.stderr


@pytest.mark.spark
@pytest.mark.long
def test_what_is_compiled_ahead_of_time_is_not_compiled_again(tmp_path: Path) -> None:
    into = tmp_path / "compiled"
    first = warm_up("fill", "--into", str(into))
    assert first.returncode == 0, first.stderr
    files = sorted(into.iterdir())
    assert f"{len(files)} compiled functions" in first.stdout
    again = warm_up("fill", "--into", str(into))
    assert again.returncode == 0, again.stderr
    assert sorted(into.iterdir()) == files


def warm_up(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, which nothing else has told where compiled code is kept."""
    environment = {key: value for key, value in os.environ.items() if key != "STREAMFRAMES_CACHE_DIR"}
    command = [sys.executable, "-m", "streamframes", "warmup", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
