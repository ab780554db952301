"""The rules of the house, checked over src/streamframes and the programs beside it: `python -m scripts.check_house`.

No import cycle; small modules and folders; folders that say what they are; no `isinstance` on operators outside of
planning; few parameters; no forbidden word; little `Any`. `--report` prints counts, and fails for nothing.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scripts.house_modules import Module, imports_of, modules_of, names_in
from scripts.house_words import forbidden_in_text, forbidden_names

MOST_LINES = 250
MOST_MODULES = 15
MOST_PARAMETERS = 12
MOST_ANY = 150
BESIDE = ("benchmarks", "examples", "scripts")
# It names what is forbidden.
_QUOTE_WORDS = ("house_words",)

_KERNELS = {"compiled", "inlined", "njit", "overload", "intrinsic", "cfunc", "cached_pointer", "register"}
_CONTRACT = ("Operator", "Plan", "Query")


class Finding(NamedTuple):
    """A broken rule, where it is broken, and what to do."""

    rule: str
    path: Path
    line: int
    advice: str


def cycles(modules: list[Module]) -> Iterator[Finding]:
    """Modules that import each other in a circle, lazily or for types only too."""
    known = {module.name for module in modules}
    imports = {module.name: imports_of(module, known) for module in modules}
    paths = {module.name: module.path for module in modules}
    for names in _components(imports):
        first = min(names)
        line = min(line for name, line in imports[first].items() if name in names)
        short = ", ".join(sorted(name.partition(".")[2] for name in names))
        yield Finding("cycle", paths[first], line, f"import each other: {short}; move what they share below both")


def _components(graph: dict[str, dict[str, int]]) -> list[set[str]]:
    """Strongly connected components of two nodes or more, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for after in graph[node]:
            if after not in index:
                visit(after)
                low[node] = min(low[node], low[after])
            elif after in stack:
                low[node] = min(low[node], index[after])
        if low[node] == index[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    sys.setrecursionlimit(10_000)
    for node in graph:
        if node not in index:
            visit(node)
    return found


def lines(modules: list[Module]) -> Iterator[Finding]:
    """Modules of too many lines."""
    for module in modules:
        count = len(module.source.splitlines())
        if count > MOST_LINES:
            advice = f"{count} lines; split it by its nouns, {MOST_LINES} at the most"
            yield Finding("module", module.path, count, advice)


def sizes(modules: list[Module]) -> Iterator[Finding]:
    """Modules of too many lines, folders of too many modules, folders that do not say what they are."""
    yield from lines(modules)
    folders = Counter(module.folder for module in modules if module.path.stem != "__init__")
    for module in modules:
        if module.path.stem == "__init__":
            count = folders[module.folder]
            if count > MOST_MODULES:
                yield Finding(
                    "folder", module.path, 1, f"{count} modules; make a folder of some, {MOST_MODULES} at most"
                )
            if not ast.get_docstring(module.tree):
                yield Finding("docstring", module.path, 1, "write a docstring: its noun, entry point and users")
    inits = {module.path.parent for module in modules if module.path.stem == "__init__"}
    for folder in sorted({module.path.parent for module in modules} - inits):
        yield Finding("docstring", folder / "__init__.py", 1, "write this file, with a docstring")


def isinstances(modules: list[Module]) -> Iterator[Finding]:
    """`isinstance` on operators, plans or queries outside of planning."""
    for module in modules:
        if ".spark.planning" in module.name:
            continue
        for node in ast.walk(module.tree):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
            if not called or len(node.args) < 2:
                continue
            for name in names_in(node.args[1]):
                if name.endswith(_CONTRACT):
                    advice = f"isinstance on {name}; make it a member of the contract"
                    yield Finding("isinstance", module.path, node.lineno, advice)


def parameters(modules: list[Module]) -> Iterator[Finding]:
    """Public functions, methods and dataclasses with too many parameters."""
    classes = {node.name: node for module in modules for node in module.tree.body if isinstance(node, ast.ClassDef)}
    root = min(modules, key=lambda module: len(module.name))
    exported = {a.name for node in root.tree.body if isinstance(node, ast.ImportFrom) for a in node.names}
    for module in modules:
        for name, node in _public(module.tree):
            if isinstance(node, ast.ClassDef):
                count = len(_fields(node, classes)) if node.name in exported else 0
            else:
                a = node.args
                every = [*a.posonlyargs, *a.args, *a.kwonlyargs]
                count = sum(arg.arg not in ("self", "cls") for arg in every)
            if count > MOST_PARAMETERS and not _is_kernel(node, set()):
                advice = f"{name} has {count} parameters; group some in a frozen dataclass, {MOST_PARAMETERS} at most"
                yield Finding("parameters", module.path, node.lineno, advice)


def _public(tree: ast.Module | ast.ClassDef) -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not (
            node.name.startswith("_") and node.name != "__init__"
        ):
            yield node.name, node
            if isinstance(node, ast.ClassDef):
                yield from ((f"{node.name}.{name}", inner) for name, inner in _public(node))


def _fields(node: ast.ClassDef, classes: dict[str, ast.ClassDef]) -> set[str]:
    """What the __init__ of a dataclass takes; none for other classes."""
    if "dataclass" not in {name for each in node.decorator_list for name in names_in(each)}:
        return set()
    own = [n for n in node.body if isinstance(n, ast.AnnAssign) and "ClassVar" not in names_in(n.annotation)]
    bases = [classes[base.id] for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    return {n.target.id for n in own if isinstance(n.target, ast.Name)}.union(*(_fields(b, classes) for b in bases))


def _is_kernel(node: ast.AST, compiled: set[str]) -> bool:
    """Whether Numba compiles this function: by its decorator, by a call, or as `judge` or `begin` of a rule."""
    if not isinstance(node, ast.FunctionDef):
        return False
    rule = node.name.lstrip("_").startswith(("judge", "begin"))
    return rule or node.name in compiled or any(_KERNELS & set(names_in(each)) for each in node.decorator_list)


def words(modules: list[Module], pages: list[Path]) -> Iterator[Finding]:
    """Forbidden words in names, docstrings, comments, strings and pages."""
    for module in modules:
        for found in (*forbidden_in_text(module.source), *forbidden_names(module.source)):
            yield Finding("word", module.path, found.line, f"{found.word!r}; write {found.instead}")
        for found in forbidden_in_text(module.path.stem):
            yield Finding("word", module.path, 1, f"the file's name has {found.word!r}; write {found.instead}")
    for page in pages:
        for found in forbidden_in_text(page.read_text()):
            yield Finding("word", page, found.line, f"{found.word!r}; write {found.instead}")


def anys(modules: list[Module]) -> Iterator[Finding]:
    """Every annotation or other expression with `Any` in it, outside of compiled kernels."""
    for module in modules:
        calls = [n for n in ast.walk(module.tree) if isinstance(n, ast.Call) and _KERNELS & set(names_in(n.func))]
        compiled = {name for n in calls for each in (*n.args, *n.keywords) for name in names_in(each)}
        for line in _any_lines(module.tree, compiled):
            yield Finding("any", module.path, line, "Any; say the type, `object` for what is only checked")


def _any_lines(node: ast.AST, compiled: set[str]) -> Iterator[int]:
    if _is_kernel(node, compiled):
        return
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.expr):
            yield from _any_lines(child, compiled)
        elif "Any" in names_in(child):
            yield child.lineno


def findings(root: Path) -> tuple[list[Finding], list[Finding]]:
    """The broken rules below a repository's root, and every Any."""
    modules = modules_of(root / "src" / "streamframes")
    beside = [module for folder in BESIDE if (root / folder).exists() for module in modules_of(root / folder)]
    beside = [module for module in beside if module.path.stem not in _QUOTE_WORDS]
    pages = [
        *sorted((root / "docs").rglob("*.md")),
        *(root / folder / "README.md" for folder in BESIDE),
        *(root / p for p in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")),
    ]
    rules = (cycles(modules), sizes(modules), isinstances(modules), parameters(modules), cycles(beside), lines(beside))
    broken = [found for rule in rules for found in rule]
    return broken + list(words([*modules, *beside], [p for p in pages if p.exists()])), list(anys(modules))


def main(root: Path, *, report: bool = False) -> int:
    """Print what is broken, or with `report` how much; returns the exit code."""
    broken, any_lines = findings(root)
    if report:
        print(f"Any: {len(any_lines)} (at most {MOST_ANY})")
        for folder, count in sorted(Counter(f.path.parent.relative_to(root) for f in any_lines).items()):
            print(f"  {count:4} {folder}")
        for rule, count in Counter(f.rule for f in broken).most_common():
            print(f"{rule}: {count}")
            for folder, inner in sorted(Counter(f.path.parent for f in broken if f.rule == rule).items()):
                print(f"  {inner:4} {folder.relative_to(root)}")
        return 0
    for found in broken:
        print(f"{found.path.relative_to(root)}:{found.line}: {found.advice}")
    if len(any_lines) > MOST_ANY:
        print(f"Any: {len(any_lines)}, at most {MOST_ANY}; `python -m scripts.check_house --report` says where")
    return int(bool(broken) or len(any_lines) > MOST_ANY)


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--report", action="store_true", help="print counts, and fail for nothing")
    sys.exit(main(Path.cwd(), **vars(arguments.parse_args())))
