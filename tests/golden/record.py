"""Write the golden files anew: `python -m tests.golden.record [VERB [CASE ...]]`.

A change of results is looked at in the difference of these files, and explained where it is committed.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Collection
from pathlib import Path
from typing import Any

import streamframes as sf
from tests.conftest import SETTINGS
from tests.golden.given import SCAN, TABLE
from tests.golden.inputs import write_all
from tests.golden.run import VERBS, cases, results, suites

FOLDER = Path(__file__).parent / "results"


def file_of(verb: str, kind: str) -> Path:
    """Scans give what tables give, so they share a file."""
    return FOLDER / f"{verb}-{TABLE if kind == SCAN else kind}.json"


def read(verb: str, kind: str) -> dict[str, Any]:
    """What is on record, by case."""
    kept: dict[str, Any] = json.loads(file_of(verb, kind).read_text())
    return kept


def write(verb: str, kind: str, kept: dict[str, Any]) -> None:
    """One line for each row, so that differences are easy to read."""
    file_of(verb, kind).write_text("{\n" + ",\n".join(_lines(name, kept[name]) for name in sorted(kept)) + "\n}\n")


def _lines(name: str, entry: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False)

    head = [f"   {text(key)}: {text(entry[key])}" for key in ("columns", "count", "digest")]
    rows = ",".join(f"\n    {text(row)}" for row in entry["rows"])
    return f"  {text(name)}: {{\n" + ",\n".join([*head, f'   "rows": [{rows}]}}'])


def main(verb: str = "", *names: str) -> None:
    """Record a verb, all of them without one, or only some cases of it."""
    if verb and (verb not in VERBS or not {*names} <= {*cases(verb)}):
        raise SystemExit(f"no such cases: {verb} {', '.join(names)}")
    FOLDER.mkdir(exist_ok=True)
    print(f"recording from {sf.__file__}")
    spark = sf.session("golden", master="local[2]", **SETTINGS)
    with tempfile.TemporaryDirectory() as folder:
        write_all(Path(folder))
        for each, kind in suites():
            if verb in ("", each):
                _record(spark, Path(folder), each, kind, names)
    spark.stop()


def _record(spark: Any, folder: Path, verb: str, kind: str, names: Collection[str]) -> None:
    before = read(verb, kind) if kind == SCAN or names else {}
    kept = {name: entry for name, entry in before.items() if name in cases(verb)}
    for name, result in results(spark, folder, verb, kind, names):
        entry = result.kept()
        if kind == SCAN and TABLE in cases(verb)[name].kinds and kept[name] != entry:
            raise SystemExit(f"{verb}: {name} of a scan is not that of a table")
        kept[name] = entry
    write(verb, kind, kept)
    print(f"{file_of(verb, kind).name}: {len(kept)} cases, {file_of(verb, kind).stat().st_size:,} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
