"""What a search for regions does, in words."""

from __future__ import annotations

from collections.abc import Sequence

from streamframes.core.regions.plan import CONNECTED, DENSITY, DURATIONS, RegionSettings
from streamframes.core.regions.reports import ENDS, HOLDS


def search_steps(settings: RegionSettings, space: Sequence[str]) -> list[str]:
    """Which search was chosen and why, and what stands for reports that are missing."""
    lines = [f"  search    {_search(settings, len(space))}"]
    return lines if settings["shape"] == DENSITY else [*lines, f"  reports   {_reports(settings)}"]


def _search(settings: RegionSettings, n_dims: int) -> str:
    if settings["shape"] == DENSITY:
        return "cells are counted in each unit of time, and grown from the densest"
    if settings["shape"] == CONNECTED:
        return "components of neighbouring reports, found column by column; time and memory are linear"
    if n_dims > 1:
        return "boxes: for each range of the first dimension, durations over the second; O(X^2 Y) a column"
    chosen = (
        "durations of each place (method I): every place is expected to report at every column"
        if settings["method"] == DURATIONS
        else "spans with a depth (method II): places and times need not form a grid"
    )
    return chosen + (f"; of regions that overlap the {settings['prefer']}" if settings["prefer"] else "")


def _reports(settings: RegionSettings) -> str:
    reading = settings["reading"]
    if not settings["may_miss"]:
        return "what does not report is no report: nothing is missing"
    who = "a known place that does not report, or badly," if reading.stations else "a bad report"
    what = {ENDS: "does not satisfy the condition", HOLDS: "is passed over"}.get(reading.missing, "is imputed")
    most = f", at most {reading.max_missing} in a row" if reading.max_missing >= 0 else ""
    return f"{who} {what}{most}"
