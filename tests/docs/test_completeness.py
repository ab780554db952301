"""The pages name what there is, and only what there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import streamframes as sf
from tests.docs.pages import ROOT, Page, all_pages

ARCHITECTURE = ROOT / "ARCHITECTURE.md"


def mapped() -> list[Path]:
    """The files and folders in the map: indentation says in which folder a name stands."""
    drawing = ARCHITECTURE.read_text(encoding="utf-8").split("## The map")[1].split("```")[1]
    found: list[Path] = []
    folders: list[tuple[int, Path]] = [(-1, ROOT)]
    for line in drawing.strip("\n").splitlines():
        indent = len(line) - len(line.lstrip())
        while folders[-1][0] >= indent:
            folders.pop()
        names = re.match(r"(?:[\w/]+/|\w+\.py)(?:\s{2}\w+\.py)*", line.lstrip())
        assert names is not None, line
        paths = [folders[-1][1] / name for name in names[0].split()]
        found += paths
        if names[0].endswith("/"):
            folders.append((indent, paths[0]))
    return found


def test_the_map_names_files_that_exist() -> None:
    assert [path for path in mapped() if not path.exists()] == []


def test_the_map_names_every_module_of_the_core_and_every_folder() -> None:
    sources = ROOT / "src" / "streamframes"
    modules = {path for path in (sources / "core").rglob("*.py") if path.name != "__init__.py"}
    folders = {path.parent for path in sources.glob("*/__init__.py")}
    assert (modules | folders) - set(mapped()) == set()


def test_every_public_name_is_on_a_page() -> None:
    pages = "\n".join(page.text for page in all_pages() if page.path.name != "CHANGELOG.md")
    assert [name for name in sf.__all__ if not re.search(rf"`[^`\n]*\b{name}\b", pages)] == []


def test_every_scheme_has_a_page() -> None:
    schemes = {path.stem for path in (ROOT / "src/streamframes/core/schemes").glob("*.py")}
    shared = {"__init__", "base", "equal", "folds", "userfold"}
    assert {path.stem for path in (ROOT / "docs/schemes").glob("*.md")} == schemes - shared


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in ROOT.glob("docs/**/*.md")]
    assert [page for page in pages if page != "index.md" and f"({page})" not in index] == []


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_links_lead_somewhere(page: Page) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.prose):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        file = (page.path.parent / path).resolve() if path else page.path
        assert file.exists(), f"{page.name} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
