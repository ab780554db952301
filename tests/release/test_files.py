"""Files beside the package say what the package and the Makefile say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import streamframes
from tests.release.environments import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_the_citation_has_the_version_of_the_package() -> None:
    assert f"\nversion: {streamframes.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_release_finds_the_version_where_it_looks_for_it() -> None:
    line = f'__version__ = "{streamframes.__version__}"'
    assert line in (ROOT / "src/streamframes/version.py").read_text().splitlines()
    assert (
        '"__version__ = \\"${TAG#v}\\"" src/streamframes/version.py'
        in (ROOT / ".github/workflows/release.yml").read_text()
    )


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_run_targets_that_exist(path: Path) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(re.findall(r"\bmake ([\w-]+)", path.read_text())) <= {*targets, "test-matrix"}
    assert "\npermissions:\n  contents: read\n" in path.read_text()
