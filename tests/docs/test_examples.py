"""Every example runs as a script would, and prints what examples/README.md shows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT, stripped

EXAMPLES = sorted(ROOT.glob("examples/*.py"))
SHOWN = dict(
    re.findall(
        r"^## \[(\w+\.py)\].*?^```text\n(.*?)^```",
        (ROOT / "examples" / "README.md").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
)


def test_every_example_is_shown() -> None:
    assert [path.name for path in EXAMPLES] == sorted(SHOWN)


@pytest.mark.spark
@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_an_example_prints_what_is_shown(path: Path, spark: Any, capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(path), run_name="__main__")
    assert stripped(capsys.readouterr().out) == stripped(SHOWN[path.name])
