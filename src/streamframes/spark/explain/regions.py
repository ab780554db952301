"""What a search for regions does, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.core.regions.plan import CONNECTED, DENSITY, DURATIONS
from streamframes.core.regions.reports import ENDS, HOLDS
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.explain.scan import packed_steps
from streamframes.spark.streaming.run import explain_stream

if TYPE_CHECKING:
    from streamframes.spark.planning.regions import RegionQuery


def explained(regioning: RegionQuery) -> str:
    """Which way the rows go, which search was chosen and why."""
    way = explain_stream(regioning.options) if regioning.is_stream else [SHUFFLED]
    lines = [
        f"regions {regioning.describe()}",
        *packed_steps(regioning, "place and condition"),
        *way,
        f"  search    {_search(regioning)}",
    ]
    if regioning.settings["shape"] != DENSITY:
        lines.append(f"  reports   {_reports(regioning)}")
    return "\n".join(lines)


def _search(regioning: RegionQuery) -> str:
    settings = regioning.settings
    if settings["shape"] == DENSITY:
        return "cells are counted in each unit of time, and grown from the densest"
    if settings["shape"] == CONNECTED:
        return "components of neighbouring reports, found column by column; time and memory are linear"
    if len(regioning.space) > 1:
        return "boxes: for each range of the first dimension, durations over the second; O(X^2 Y) a column"
    chosen = (
        "durations of each place (method I): every place is expected to report at every column"
        if settings["method"] == DURATIONS
        else "spans with a depth (method II): places and times need not form a grid"
    )
    return chosen + (f"; of regions that overlap the {settings['prefer']}" if settings["prefer"] else "")


def _reports(regioning: RegionQuery) -> str:
    settings = regioning.settings
    reading = settings["reading"]
    if not settings["may_miss"]:
        return "what does not report is no report: nothing is missing"
    who = "a known place that does not report, or badly," if reading.stations else "a bad report"
    what = {ENDS: "does not satisfy the condition", HOLDS: "is passed over"}.get(reading.missing, "is imputed")
    most = f", at most {reading.max_missing} in a row" if reading.max_missing >= 0 else ""
    return f"{who} {what}{most}"
