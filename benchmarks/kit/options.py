"""Options: what every benchmark takes on its command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

QUICK_ROWS = 1_000_000
CACHE = Path(__file__).resolve().parents[2] / "build" / "bench"
RESULTS = Path(__file__).resolve().parents[1] / "results"


@dataclass(frozen=True)
class Options:
    """How much is measured, how often, and where the results go."""

    rows: int
    rounds: int
    out: Path
    cache: Path = CACHE


def parse(about: str, *, rows: int, rounds: int | None, arguments: Sequence[str] | None = None) -> Options:
    """Options from a command line, with a benchmark's own defaults; `rounds=None` where there is only one."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=count, help=f"rows of the largest table (default: {rows:,})")
    if rounds is not None:
        parser.add_argument("--rounds", type=count, help=f"timed rounds, the best counts (default: {rounds})")
    parser.add_argument(
        "--quick", action="store_true", help="a million rows, one round; results go to build/bench/results"
    )
    parser.add_argument("--out", type=Path, help="where the results go (default: benchmarks/results)")
    given = parser.parse_args(arguments)
    return Options(
        rows=given.rows or (QUICK_ROWS if given.quick else rows),
        rounds=getattr(given, "rounds", None) or (1 if given.quick else rounds or 1),
        out=given.out or (CACHE / "results" if given.quick else RESULTS),
    )


def count(text: str) -> int:
    """A number of at least one, with underscores where one likes."""
    number = int(text.replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number
