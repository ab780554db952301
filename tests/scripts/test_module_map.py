"""The map of the modules says what the docstrings say, and is checked."""

from pathlib import Path

import pytest

from scripts.module_map import PAGE, main, page


@pytest.fixture
def root(tmp_path: Path) -> Path:
    core = tmp_path / "src" / "made" / "core"
    core.mkdir(parents=True)
    (tmp_path / "docs").mkdir()
    (core.parent / "__init__.py").write_text('"""Made up."""\n')
    (core / "__init__.py").write_text('"""Core: one noun.\n\n  a ──> b\n\n`rows` is the entry point.\n"""\n')
    (core / "rows.py").write_text('"""Rows: values,\nin order | sorted.\n\nMore.\n"""\n')
    return tmp_path


def test_a_folder_has_its_docstring_and_a_module_its_first_paragraph(root: Path) -> None:
    text = page(root / "src" / "made")
    assert "## `made/core/`\n\nCore: one noun.\n\n`rows` is the entry point.\n" in text
    assert "| [`rows.py`](../src/made/core/rows.py) | Rows: values, in order \\| sorted |" in text
    assert "──>" not in text
    assert "More" not in text


def test_a_page_of_yesterday_is_refused(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (root / "src" / "made").rename(root / "src" / "streamframes")
    assert main(root, check=False) == 0
    assert main(root, check=True) == 0
    (root / "src/streamframes/core/new.py").write_text('"""New."""\n')
    assert main(root, check=True) == 1
    assert capsys.readouterr().out == f"{PAGE} is not up to date; run python -m scripts.module_map\n"
