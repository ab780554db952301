"""What a folder imports is declared, in the core or in the extra that the folder needs: a wheel runs anywhere."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from streamframes.extras import EXTRAS

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "streamframes"
# Other tools that the library is measured against; whoever measures installs them.
MEASURED_AGAINST = "study/baselines"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
# Packages whose modules have another name.
PACKAGES = {
    "google.protobuf": "protobuf",
    "google.rpc": "googleapis-common-protos",
    "grpc": "grpcio",
    "grpc_status": "grpcio-status",
    "py4j": "pyspark",  # comes with it
}
# The longest path that a file begins with says which extra it may import.
WHERE = {
    "": None,
    "api/frames.py": "worker",
    "cli": "cli",
    "core/files/logs/delta.py": "delta",
    "core/files/logs/iceberg.py": "iceberg",
    "core/files/logs/iceberg_statistics.py": "iceberg",
    "core/files/parquet/plain_columns.py": "scan",
    "core/regions/connected/shapes.py": "regions",
    "core/theory/checks.py": "laws",
    "draw": "plot",
    "sinks/postgres": "postgres",
    "spark": "spark",
    "study": "study",
}


def declared(extra: str | None) -> set[str]:
    """The packages of an extra, and of the extras in it; None is the core."""
    found = set()
    for text in PROJECT["dependencies"] if extra is None else PROJECT["optional-dependencies"][extra]:
        inner = re.fullmatch(r"streamframes\[(.+)\]", text)
        found |= set().union(*map(declared, inner[1].split(","))) if inner else {re.split(r"[^\w-]", text)[0]}
    return found


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def package_of(module: str) -> str:
    """The package that brings a module."""
    known = [name for name in PACKAGES if f"{module}.".startswith(f"{name}.")]
    return PACKAGES[known[0]] if known else module.partition(".")[0]


@pytest.mark.parametrize("start", WHERE, ids=lambda start: start or "everything else")
def test_what_is_imported_is_declared_in_the_core_or_in_one_extra(start: str) -> None:
    found = set()
    for file in SRC.rglob("*.py"):
        path = file.relative_to(SRC).as_posix()
        longest = max((each for each in WHERE if f"{path}/".startswith(f"{each}/" if each else "")), key=len)
        if longest == start and not path.startswith(MEASURED_AGAINST):
            found |= {package_of(name) for name in imported(file)}
    assert found - sys.stdlib_module_names - {"streamframes"} <= declared(None) | (
        declared(WHERE[start]) if WHERE[start] else set()
    )


def test_every_extra_is_checked_by_its_own_modules() -> None:
    assert {*EXTRAS, "scan", "all"} == set(PROJECT["optional-dependencies"])
    for name, extra in EXTRAS.items():
        assert {package_of(module) for module in extra.modules} <= declared(name)
    for name in ("worker", "cli", "plot", "delta", "iceberg", "regions", "laws"):
        own = {text for text in PROJECT["optional-dependencies"][name] if "streamframes" not in text}
        assert {package_of(module) for module in EXTRAS[name].modules} == {re.split(r"[^\w-]", text)[0] for text in own}


def test_all_holds_every_extra() -> None:
    assert declared("all") == set().union(*map(declared, PROJECT["optional-dependencies"]))


@pytest.mark.parametrize("name", ["pandas", "protobuf"])
def test_what_pyspark_needs_for_streams_comes_with_spark(name: str) -> None:
    assert name in declared("spark") & declared("worker")
