"""The pages name what there is, and only what there is."""

from __future__ import annotations

import re

import pytest

import streamframes as sf
from tests.docs.pages import ROOT, Page, all_pages

# Modules that pages name: relative to the repository, the package, or the folder of the tests.
_ROOTS = (ROOT, ROOT / "src", ROOT / "src/streamframes", ROOT / "tests")
# The scheme that CONTRIBUTING.md adds as an example.
_EXAMPLES = {"core/schemes/rise.py"}


@pytest.mark.parametrize("page", all_pages(), ids=lambda page: page.name)
def test_modules_on_a_page_exist(page: Page) -> None:
    named = set(re.findall(r"`([\w./]*/[\w./]*\.py)`", page.prose)) - _EXAMPLES
    assert [name for name in sorted(named) if not any((root / name).exists() for root in _ROOTS)] == []


def test_the_architecture_names_every_folder_of_the_core() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    folders = [path.parent.name for path in (ROOT / "src/streamframes/core").glob("*/__init__.py")]
    assert [name for name in folders if not re.search(rf"\b{name}\b", text)] == []
    assert len(text.splitlines()) <= 120


def test_every_public_name_is_on_a_page() -> None:
    pages = "\n".join(page.text for page in all_pages() if page.path.name != "CHANGELOG.md")
    assert [name for name in sf.__all__ if not re.search(rf"`[^`\n]*\b{name}\b", pages)] == []


def test_every_scheme_has_a_page() -> None:
    public = [value for name, value in vars(sf).items() if name in sf.__all__ and isinstance(value, type)]
    schemes = {each.__module__.rpartition(".")[2] for each in public if issubclass(each, sf.Scheme)} - {"base"}
    assert {path.stem for path in (ROOT / "docs/schemes").glob("*.md")} == schemes


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
