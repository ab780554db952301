"""Modules of the package and of the programs beside it, as the rules of the house read them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class Module(NamedTuple):
    """A module of the package, read once."""

    name: str
    path: Path
    source: str
    tree: ast.Module

    @property
    def folder(self) -> str:
        return self.name if self.path.stem == "__init__" else self.name.rpartition(".")[0]


def modules_of(package: Path) -> list[Module]:
    """All modules below the folder of a package."""
    found = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        source = path.read_text()
        found.append(Module(".".join(p for p in parts if p != "__init__"), path, source, ast.parse(source)))
    return found


def imports_of(module: Module, known: set[str]) -> dict[str, int]:
    """The modules of the package that a module imports anywhere, each with the line where."""
    found: dict[str, int] = {}
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            target = name if name in known else name.rpartition(".")[0]
            if target in known and target != module.name:
                found.setdefault(target, node.lineno)
    return found


def names_in(node: ast.AST) -> Iterator[str]:
    """The names in an expression, those of attributes too."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield part.id
        elif isinstance(part, ast.Attribute):
            yield part.attr
