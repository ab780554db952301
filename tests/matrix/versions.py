"""Versions: which Spark on which Python is tried, and the environment of each, which has the wheel and no checkout."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.matrix.features import FEATURES, FORMATS, Feature
from tests.release.environments import ROOT, Environment, install

TESTS = ("duckdb", "psutil", "pytest", "pyyaml")
OWN_PYTHON = ".".join(map(str, sys.version_info[:2]))


@dataclass(frozen=True)
class Version:
    """A Spark and a Python, and what is tried there."""

    spark: str
    python: str = OWN_PYTHON
    quick: bool = False
    formats: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return f"spark-{self.spark}-python-{self.python}"

    @property
    def features(self) -> list[Feature]:
        """What is tried there; on another Python than ours tables and streams."""
        chosen = [each for each in FEATURES if each.python or self.python == OWN_PYTHON]
        chosen = [each for each in chosen if each.since <= self.spark]
        return [
            each
            for each in chosen
            if not each.tests[0].startswith(FORMATS) or each.name.partition(" ")[0].lower() in self.formats
        ]

    def environment(self, folder: Path, wheel: Path) -> Environment:
        """The environment, which is kept from one run to the next; only the wheel is new."""
        constraints = folder / "constraints.txt"
        constraints.write_text(without_spark((ROOT / "requirements.lock").read_text()))
        return install(
            folder / self.name,
            f"streamframes[all] @ {wheel.as_uri()}",
            f"pyspark=={self.spark}.*",
            *TESTS,
            constraints=constraints,
            python=sys.executable if self.python == OWN_PYTHON else self.python,
        )


def without_spark(lock: str) -> str:
    """The versions of a lock file but that of Spark."""
    return re.sub(r"^pyspark==.*?(?=^\S)", "", lock, flags=re.MULTILINE | re.DOTALL)


VERSIONS = (
    Version("4.0", quick=True, formats=("delta", "iceberg")),
    Version("4.1", formats=("delta", "iceberg")),
    Version("4.2", quick=True, formats=("delta",)),
    Version("4.3"),
    Version("4.3", "3.12"),
    Version("4.3", "3.13"),
)


def environment_variables(folder: Path) -> dict[str, str]:
    """What the tests of a version are run with: compiled code is shared, it does not depend on Spark."""
    return {"STREAMFRAMES_CACHE_DIR": os.environ.get("STREAMFRAMES_CACHE_DIR", str(folder / "compiled"))}
