"""The map of the modules: `python -m scripts.module_map` writes docs/map.md out of their docstrings.

A folder is listed with the docstring of its `__init__.py`, a module with the first paragraph of its own. `--check`
fails where the page is not up to date.
"""

from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path

PAGE = Path("docs/map.md")
INTRODUCTION = """\
# Map of the modules

Written by `python -m scripts.module_map` out of the docstrings. How the parts work together is in
[ARCHITECTURE.md](../ARCHITECTURE.md).
"""


def docstring(path: Path) -> str:
    """The docstring of a module."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def summary(path: Path) -> str:
    """The first paragraph of a module's docstring, in one line."""
    return " ".join(docstring(path).split("\n\n")[0].split()).rstrip(".:").replace("|", "\\|")


def introduction(path: Path) -> str:
    """The docstring of a folder, without drawings and lists."""
    paragraphs = docstring(path).split("\n\n")
    plain = [each for each in paragraphs if "  " not in each and "import " not in each and "sf." not in each]
    return "\n\n".join(plain)


def page(package: Path) -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for folder in [package, *sorted(path for path in package.rglob("*") if path.is_dir())]:
        modules = sorted(path for path in folder.glob("*.py") if path.stem != "__init__")
        if not (folder / "__init__.py").exists():
            continue
        name = folder.relative_to(package.parent).as_posix()
        parts.append(f"\n## `{name}/`\n\n{introduction(folder / '__init__.py')}\n")
        if modules:
            rows = "".join(f"| [`{path.name}`](../src/{name}/{path.name}) | {summary(path)} |\n" for path in modules)
            parts.append(f"\n| module | |\n|---|---|\n{rows}")
    return "".join(parts)


def main(root: Path, *, check: bool) -> int:
    """Write the page, or say whether it is up to date; returns the exit code."""
    written = page(root / "src" / "streamframes")
    if not check:
        (root / PAGE).write_text(written, encoding="utf-8")
    elif (root / PAGE).read_text(encoding="utf-8") != written:
        print(f"{PAGE} is not up to date; run python -m scripts.module_map")
        return 1
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("--check", action="store_true", help="fail where the page is not up to date")
    sys.exit(main(Path(__file__).parent.parent, check=parser.parse_args().check))
