"""Studies: what the papers claim, repeated, on made-up data or on a file of yours.

  study ──> lab: a session, rows, progress ──> outcome: tables, pictures, claims and whether they hold

A study is one file with a `STUDY`. It frames, fills and monitors through the public verbs alone.
"""

from __future__ import annotations

from importlib import import_module

from streamframes.errors import InvalidArgument
from streamframes.extras import need

need("study")

from streamframes.study.kit import Study

NAMES = (
    "accuracy-traffic",
    "accuracy-dye",
    "timeline",
    "runtime",
    "fragments",
    "scatter",
    "histogram",
    "heatmap",
    "points",
    "patterns",
    "regions",
    "bursts",
    "nested",
)
"""Every study, in the order of a report."""


def study(name: str) -> Study:
    """The study of this name."""
    if name not in NAMES:
        raise InvalidArgument(f"study() got name={name!r}, which is no study; there are {', '.join(NAMES)}")
    module = import_module(f"{__name__}.experiments.{name.replace('-', '_')}")
    found: Study = module.STUDY
    return found


__all__ = ["NAMES", "Study", "study"]
