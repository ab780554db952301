"""What the package imports is declared, so that a wheel runs where nothing else is installed."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "streamframes"
# Other tools that the library is measured against; whoever measures installs them.
MEASURED_AGAINST = SRC / "study" / "baselines"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
DECLARED = {
    re.split(r"[^\w-]", text)[0]
    for group in (PROJECT["dependencies"], *PROJECT["optional-dependencies"].values())
    for text in group
}


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def test_every_imported_package_is_declared() -> None:
    files = [file for file in SRC.rglob("*.py") if MEASURED_AGAINST not in file.parents]
    found = {name.partition(".")[0] for file in files for name in imported(file)}
    assert found - sys.stdlib_module_names - {"streamframes"} <= DECLARED


@pytest.mark.parametrize("name", ["pandas", "protobuf", "pyarrow"])
def test_what_pyspark_needs_for_streams_is_declared(name: str) -> None:
    assert name in {re.split(r"[^\w-]", text)[0] for text in PROJECT["dependencies"]}
