"""How wrong windows are about slow traffic."""

from __future__ import annotations

from streamframes.core.schemes import Threshold
from streamframes.study.data.sources import FAILED, STATIONS, TRAFFIC, groups, traffic
from streamframes.study.kit import Lab, Study
from streamframes.study.report.comparison import claims, compared, picture
from streamframes.study.report.outcome import Outcome, Picture

SLOW = Threshold("speed < 40", min_duration="3 minutes")
SECONDS = (60, 120, 180, 240, 360, 480, 720, 960)


def run(lab: Lab) -> Outcome:
    """Compare frames with windows of 1 to 16 minutes."""
    rows = traffic(lab)
    found = compared(
        lab,
        rows,
        SLOW,
        {length: f"{length} seconds" for length in SECONDS},
        ts="ts",
        by=groups(rows),
        unit="seconds",
        liberal="min",
        name="accuracy-traffic",
        title="Windows that stand for frames of speed < 40 mph for at least 3 minutes",
    )
    rows.unpersist()
    made = f"{lab.rows:,} made-up reports of {STATIONS} stations, of which {100 * FAILED:g} % failed and say 0 mph"
    title = "Windows against frames: speed < 40 mph for at least 3 minutes"
    return Outcome(
        lab.named(made),
        [found.table],
        [Picture("accuracy-traffic", f"{title}, {lab.named(made)}", lambda: picture(found, title))],
        claims(found),
        {"condition": SLOW.where, "min_duration": SLOW.min_duration, "windows_seconds": SECONDS, "seed": lab.seed},
    )


STUDY = Study(
    "accuracy-traffic",
    "How wrong windows are about slow traffic",
    "Maier et al., DEBS 2012, figures 3 to 5",
    130_000,
    "reports",
    TRAFFIC,
    run,
)
