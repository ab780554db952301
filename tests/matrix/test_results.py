"""A third of the golden cases of each verb give what is on record, `first` of them alone where it must be quick."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.golden.inputs import write_all
from tests.golden.record import read
from tests.golden.run import cases, results, suites

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Path = tmp_path_factory.mktemp("golden")
    write_all(made)
    return made


def third(verb: str, kind: str) -> list[str]:
    """Every third case of a verb with rows of a kind."""
    return [name for name, case in cases(verb).items() if kind in case.kinds][::3]


def check(spark: Any, folder: Path, verb: str, kind: str, names: list[str]) -> None:
    recorded = read(verb, kind)
    different = {
        name: (recorded[name], result.kept())
        for name, result in results(spark, folder, verb, kind, names)
        if result.kept() != recorded[name]
    }
    assert not different


@pytest.mark.parametrize(("verb", "kind"), suites(), ids=[f"{verb} of a {kind}" for verb, kind in suites()])
def test_first(spark: Any, folder: Path, verb: str, kind: str) -> None:
    check(spark, folder, verb, kind, third(verb, kind)[:1])


@pytest.mark.parametrize(
    ("verb", "kind"),
    [suite for suite in suites() if len(third(*suite)) > 1],
    ids=[f"{verb} of a {kind}" for verb, kind in suites() if len(third(verb, kind)) > 1],
)
def test_others(spark: Any, folder: Path, verb: str, kind: str) -> None:
    check(spark, folder, verb, kind, third(verb, kind)[1:])
