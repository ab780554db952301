"""The map of tests: a module of the core is covered by the test of its name, or by one whose docstring names it."""

import pytest

from scripts.test_map import END, START, broken, covered, write


@pytest.fixture
def project(tmp_path):
    """A project of two modules and a test of one; returns its root."""
    for name, text in {
        "src/streamframes/core/batch/rows.py": "",
        "src/streamframes/core/batch/chunk.py": "",
        "tests/core/batch/test_rows.py": '"""Rows."""\n',
        "CONTRIBUTING.md": f"Before.\n{START}{END}After.\n",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_module_without_a_test_is_named_with_the_remedy(project):
    write(project)
    (wrong,) = broken(project)
    assert wrong.startswith("streamframes.core.batch.chunk has no test: name one tests/core/batch/test_chunk.py, or")


def test_a_docstring_names_what_its_laws_cover(project):
    (project / "tests/core/batch/test_rows.py").write_text(
        '"""Rows.\n\nCovers: streamframes.core.batch.chunk,\nstreamframes.core.batch.rows\n\nMore."""\n'
    )
    write(project)
    assert broken(project) == []
    assert [sorted(names) for names in covered(project).values()] == [
        ["streamframes.core.batch.chunk", "streamframes.core.batch.rows"]
    ]
    page = (project / "CONTRIBUTING.md").read_text()
    assert "| `core/batch/test_rows` | `batch.chunk`, `batch.rows` |" in page
    assert page.startswith("Before.\n")
    assert page.endswith("After.\n")


def test_a_stale_list_and_a_module_that_is_gone_are_found(project):
    (project / "tests/core/batch/test_rows.py").write_text('"""Rows.\n\nCovers: streamframes.core.batch.gone"""\n')
    assert any("covers streamframes.core.batch.gone, which does not exist" in each for each in broken(project))
    assert any(each.startswith("the list in CONTRIBUTING.md is not up to date") for each in broken(project))
