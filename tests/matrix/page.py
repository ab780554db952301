"""The page: the table of docs/where-it-runs.md, made from what the last run of the matrix has recorded."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.matrix.features import FEATURES
from tests.release.environments import ROOT

RECORD = ROOT / "docs" / "where-it-runs.json"
PAGE = ROOT / "docs" / "where-it-runs.md"
_BLOCK = re.compile(r"(?<=<!-- made by `make test-matrix` -->\n)\n.*?\n(?=<!-- end -->)", re.DOTALL)


def recorded() -> dict[str, dict[str, Any]]:
    """What the last runs have found, version by version."""
    found: dict[str, dict[str, Any]] = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    return found


def table(record: dict[str, dict[str, Any]]) -> str:
    """Version x feature: `yes` where all tests passed, `no` where one did not, `-` where it was not tried."""
    if not record:
        return "No run is on record yet."
    versions = record.values()
    known = {name for version in versions for name in version["features"]}
    names = [each.name for each in FEATURES if each.name in known]
    head = ["PySpark", *(version["spark"] for version in versions)]
    lines = [head, ["---"] * len(head), ["Python", *(version["python"] for version in versions)]]
    lines += [[name, *(cell(version["features"].get(name)) for version in versions)] for name in names]
    counts = [sum(found["passed"] for found in version["features"].values()) for version in versions]
    lines.append(["tests that passed", *map(str, counts)])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def cell(found: dict[str, Any] | None) -> str:
    """What the table says of a feature on a version."""
    if found is None:
        return "-"
    return "yes" if found["passed"] and not found.get("failed") else "no"


def with_table(text: str, record: dict[str, dict[str, Any]]) -> str:
    """The text of the page with the table of a record."""
    return _BLOCK.sub(lambda _: f"\n{table(record)}\n\n", text)


def write_page(record: dict[str, dict[str, Any]]) -> None:
    """Put the table of a record on the page."""
    PAGE.write_text(with_table(PAGE.read_text(), record))
