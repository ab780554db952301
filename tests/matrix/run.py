"""Run the matrix: `python -m tests.matrix.run [--quick] [--spark 4.0 ...]`.

Every version is tried in an environment of its own, and what fails is shown. What was found of a version is recorded in
docs/where-it-runs.json, and the table of the page is made anew from there; a quick run records nothing.

With `--long` queries that merge into tables of Delta and Iceberg are killed, on every Spark that knows these formats.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.matrix.features import FORMATS, Feature, names_of
from tests.matrix.features import quick as is_quick
from tests.matrix.page import RECORD, cell, recorded, write_page
from tests.matrix.versions import VERSIONS, Version, environment_variables
from tests.release.environments import ROOT, Environment, build

FOLDER = ROOT / ".venv" / "matrix"
MERGED = "tests/matrix/test_merged.py"
HOURS = 4 * 3600
PASSED, FAILED = "passed", "failed"


def tried(
    version: Version, wheel: Path, *, quick: bool = False, long: bool = False, only: Collection[str] | None = None
) -> dict[str, Any]:
    """What the record says of a version: packages, and for each feature how many tests passed and which did not."""
    chosen = [each for each in version.features if only is None or each.name in only]
    there = version.environment(FOLDER, wheel)
    there = replace(there, variables=environment_variables(FOLDER))
    check_it_is_the_wheel(there)
    if long:
        return {"features": {}, "failed": FAILED in dict(run(there, [MERGED], f"{version.name}-long", "long")).values()}
    wanted = [test for test in names_of(chosen) if is_quick(test) or not quick]
    outcomes: dict[str, str] = {}
    for formats in (False, True):  # formats need a Spark of other settings, and so a process of their own
        tests = [each for each in wanted if each.startswith(FORMATS) == formats]
        if tests:
            outcomes |= dict(run(there, tests, f"{version.name}-formats" if formats else version.name))
    features = [each for each in chosen if any(each.has(test) for test in outcomes) or not quick]
    return {
        "spark": there.python("import pyspark; print(pyspark.__version__)"),
        "python": there.python("import platform; print(platform.python_version())"),
        "features": {each.name: counted(each, outcomes) for each in features},
    }


def check_it_is_the_wheel(there: Environment) -> None:
    found = there.python("import streamframes; print(streamframes.__file__)")
    if not Path(found).resolve().is_relative_to(there.folder.resolve()):
        raise SystemExit(f"the tests of {there.folder.name} would run {found} and not the wheel")


def run(there: Environment, tests: list[str], name: str, marked: str = "not long") -> Iterator[tuple[str, str]]:
    """The tests, each with its outcome; those that are skipped are left out. What pytest says is in a log beside."""
    log, report = (there.folder.with_name(f"{name}.{kind}") for kind in ("log", "xml"))
    report.unlink(missing_ok=True)
    command = ["python", "-m", "pytest", "-v", "-p", "no:cacheprovider", "-o", "junit_family=xunit1"]
    command += [f"--junitxml={report}", "-m", marked, "--durations=20", *tests]
    with log.open("w") as output:
        status = there.run(*command, cwd=ROOT, timeout=HOURS, output=output).returncode
    if status or not report.exists():
        print(f"\n{name}\n{log.read_text()[-20_000:]}", flush=True)
    if not report.exists():
        raise SystemExit(f"{name}: no test was run")
    for case in ET.parse(report).getroot().iter("testcase"):
        if case.find("skipped") is None:
            broken = case.find("failure") is not None or case.find("error") is not None
            yield f"{case.get('file')}::{case.get('name')}", FAILED if broken else PASSED


def counted(feature: Feature, outcomes: dict[str, str]) -> dict[str, Any]:
    """How many tests of a feature passed, and which did not."""
    own = {test: outcome for test, outcome in outcomes.items() if feature.has(test)}
    failed = sorted(test for test, outcome in own.items() if outcome == FAILED)
    return {"passed": len(own) - len(failed), **({"failed": failed} if failed or not own else {})}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a quarter, on the oldest Spark and the newest but one")
    parser.add_argument("--long", action="store_true", help="tables as sinks of queries that are killed; nothing else")
    parser.add_argument("--spark", nargs="*", metavar="4.0", help="these versions of Spark alone")
    parser.add_argument("--features", nargs="*", metavar="NAME", help="these lines of the table alone")
    parser.add_argument("--at-once", type=int, default=2, help="how many versions run at the same time (default 2)")
    asked = parser.parse_args()
    chosen = [each for each in VERSIONS if each.quick or not asked.quick]
    chosen = [each for each in chosen if not asked.spark or each.spark in asked.spark]
    chosen = [each for each in chosen if each.formats or not asked.long]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(asked.at_once) as pool:
        wheel = build("wheel", Path(folder))
        work = partial(tried, wheel=wheel, quick=asked.quick, long=asked.long, only=asked.features)
        found = list(pool.map(work, chosen))
    if asked.long:
        return int(any(each["failed"] for each in found))
    if not asked.quick:
        record(dict(zip([each.name for each in chosen], found, strict=True)))
    return int(sum(failures(version) for version in found) > 0)


def record(found: dict[str, dict[str, Any]]) -> None:
    """Write down what was found; other versions and features stay as they were, and the page says the same."""
    before = recorded()
    kept = {}
    for version in VERSIONS:
        old, new = (known.get(version.name, {"features": {}}) for known in (before, found))
        features = {each.name: {**old["features"], **new["features"]}.get(each.name) for each in version.features}
        if any(features.values()):
            kept[version.name] = {**old, **new, "features": {name: each for name, each in features.items() if each}}
    RECORD.write_text(json.dumps(kept, indent=1) + "\n")
    write_page(kept)


def failures(version: dict[str, Any]) -> int:
    """Print what a version can do; how many features do not work there."""
    count = 0
    for name, found in version["features"].items():
        works = cell(found) == "yes"
        count += not works
        text = f"{found['passed']} tests" if works else f"FAILED {', '.join(found.get('failed', ())) or 'no test'}"
        print(f"Spark {version['spark']}, Python {version['python']}: {name}: {text}")
    return count


if __name__ == "__main__":
    sys.exit(main())
