"""The results of every verb are those on record, to the last bit: what is kept from version to version."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.golden.inputs import write_all
from tests.golden.record import read
from tests.golden.run import results, suites

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("golden")
    write_all(made)
    return made


@pytest.mark.parametrize(("verb", "kind"), suites(), ids=[f"{verb} of a {kind}" for verb, kind in suites()])
def test_results_are_those_on_record(spark: Any, folder: Path, verb: str, kind: str) -> None:
    recorded = read(verb, kind)
    different = {}
    for name, result in results(spark, folder, verb, kind):
        now = result.kept()
        if now != recorded[name]:
            different[name] = {key: (recorded[name][key], now[key]) for key in now if now[key] != recorded[name][key]}
    assert not different
