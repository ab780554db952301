"""Arguments of verbs as one flat dict, for tests that try many of them: options are put into their values."""

from __future__ import annotations

from typing import Any

import streamframes as sf

STREAM = ("punctuation", "punctuation_all", "late", "fragments", "punctuations", "control")
SCHEDULE = {
    "schedule": "every",
    "schedule_offset": "offset",
    "jitter": "jitter",
    "missing": "missing",
    "open_on": "open_on",
}
SEARCH = {"search": "kind", "error": "error", "error_side": "error_side"}
RECTANGLES = ("prefer", "method")
REPORTS = (
    "places", "bad", "missing", "max_missing", "open_on", "min_times", "min_places", "max_gap", "max_step",
)  # fmt: skip


def flat(verb: str, **arguments: Any) -> dict[str, Any]:
    """The arguments of a verb: `fragments=True` becomes `stream=Stream(fragments=True)`."""
    if any(name in arguments for name in STREAM):
        _put(arguments, "stream", sf.Stream, {name: name for name in ("lateness", *STREAM)})
    if verb == "frames" and any(name in arguments for name in SCHEDULE if name != "schedule"):
        _put(arguments, "schedule", sf.Schedule, SCHEDULE)
    if verb == "bursts" and ("error" in arguments or "error_side" in arguments):
        _put(arguments, "search", sf.Search, SEARCH)
    if verb == "regions":
        if any(name in arguments for name in RECTANGLES):
            _put(arguments, "shape", sf.Rectangles, {name: name for name in RECTANGLES})
        if any(name in arguments for name in REPORTS):
            _put(arguments, "reports", sf.Reports, {name: name for name in REPORTS})
    return arguments


def _put(arguments: dict[str, Any], into: str, value: type, names: dict[str, str]) -> None:
    given = {field: arguments.pop(name) for name, field in names.items() if name in arguments}
    arguments[into] = value(**given)
