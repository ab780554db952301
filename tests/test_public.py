"""The public surface is a sorted, complete list, and loads no engine."""

from __future__ import annotations

import subprocess
import sys

import streamframes as sf

HEAVY = {"duckdb", "hypothesis", "matplotlib", "pandas", "polars", "pyspark", "rich", "shapely", "typer"}


def test_the_public_names_are_sorted_and_there() -> None:
    assert sf.__all__ == sorted(sf.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in sf.__all__:
        assert getattr(sf, name).__doc__ or name.isupper()


def test_importing_the_package_starts_no_engine() -> None:
    code = f"import sys, streamframes; print(*{HEAVY} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
