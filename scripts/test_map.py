"""Which test covers which module of the core: `python -m scripts.test_map` writes the list into CONTRIBUTING.md.

A test module covers the module of its name (`tests/core/jit/test_cache.py` covers `core/jit/cache.py`) and those that
its docstring names: `Covers: streamframes.core.batch.chunk, streamframes.core.batch.rows`. `--check` fails where a
module has no test or the list is not up to date; `--report` only counts.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from pathlib import Path

START = "<!-- tests of the core: written by scripts/test_map.py -->\n"
END = "<!-- end of the tests of the core -->\n"

_COVERS = re.compile(r"^Covers: (.+?)(?:\n\s*\n|\Z)", re.MULTILINE | re.DOTALL)


def modules_of_the_core(root: Path) -> dict[str, Path]:
    """Every module of the core by its full name."""
    core = root / "src" / "streamframes" / "core"
    paths = (path.relative_to(core) for path in core.rglob("*.py") if path.stem != "__init__")
    return {".".join(("streamframes", "core", *path.with_suffix("").parts)): path for path in paths}


def named_in(test: Path) -> list[str]:
    """The modules that the docstring of a test module says it covers."""
    found = _COVERS.search(ast.get_docstring(ast.parse(test.read_text(encoding="utf-8"))) or "")
    return re.findall(r"[\w.]+\w", found[1]) if found else []


def covered(root: Path) -> dict[Path, list[str]]:
    """The test modules, each with the modules of the core that it covers; those that do not exist are among them."""
    modules, tests = modules_of_the_core(root), root / "tests"
    found: dict[Path, list[str]] = {}
    for test in sorted(tests.rglob("test_*.py")):
        path = test.relative_to(tests)
        own = path.relative_to("core").with_name(path.name.removeprefix("test_")) if path.parts[0] == "core" else None
        names = {name for name, module in modules.items() if module == own} | set(named_in(test))
        if names:
            found[path] = sorted(names)
    return found


def listing(tests: dict[Path, list[str]]) -> str:
    """The list as it stands in CONTRIBUTING.md."""
    lines = [START, "| in `tests` | covers in `core` |\n", "|---|---|\n"]
    for test, names in tests.items():
        shown = ", ".join(f"`{name.removeprefix('streamframes.core.')}`" for name in names)
        lines.append(f"| `{test.with_suffix('').as_posix()}` | {shown} |\n")
    return "".join([*lines, END])


def broken(root: Path) -> list[str]:
    """What is wrong: modules without a test, tests of modules that do not exist, a list of yesterday."""
    modules, tests = modules_of_the_core(root), covered(root)
    named = {name for names in tests.values() for name in names}
    wrong = [
        f"{name} has no test: name one tests/core/{path.with_name(f'test_{path.name}').as_posix()}, "
        f"or add `Covers: {name}` to the docstring of the test module whose law covers it"
        for name, path in sorted(modules.items())
        if name not in named
    ]
    wrong += [
        f"tests/{test.as_posix()} covers {name}, which does not exist"
        for test, names in tests.items()
        for name in names
        if name not in modules
    ]
    if listing(tests) not in (root / "CONTRIBUTING.md").read_text(encoding="utf-8"):
        wrong.append("the list in CONTRIBUTING.md is not up to date: python -m scripts.test_map")
    return wrong


def write(root: Path) -> None:
    """Write the list between its marks."""
    page = root / "CONTRIBUTING.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(START)
    page.write_text(before + listing(covered(root)) + rest.partition(END)[2], encoding="utf-8")


def main(root: Path) -> int:
    """Write, check or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail where a test is missing or the list is stale")
    parser.add_argument("--report", action="store_true", help="say how many, and fail for nothing")
    given = parser.parse_args()
    if not (given.check or given.report):
        write(root)
        return 0
    wrong = broken(root)
    if given.report:
        print(f"tests of the core: {len(wrong)} to mend")
        return 0
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parents[1]))
