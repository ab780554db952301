"""How wrong windows are about dye in the sea."""

from __future__ import annotations

from streamframes.core.schemes import Count, Threshold
from streamframes.study.data.sources import DYE, dye, groups, level_of
from streamframes.study.kit import Lab, Study
from streamframes.study.report.comparison import Comparison, claims, compared, picture
from streamframes.study.report.outcome import Outcome, Picture

LEAST_ROWS = (20, 1)
SIZES = (5, 10, 20, 40, 60, 80, 100, 120)


def run(lab: Lab) -> Outcome:
    """Compare frames with windows of 5 to 120 rows, first of episodes that last, then of all."""
    rows = dye(lab)
    level = level_of(lab, rows)
    found = {}
    for least in LEAST_ROWS:
        found[least] = compared(
            lab,
            rows,
            Threshold(f"fluorescence > {level}", min_rows=least),
            {size: Count(size) for size in SIZES},
            ts="scan",
            by=groups(rows),
            unit="rows",
            liberal="max",
            name=f"least-{least}",
            title=f"Windows that stand for frames of {_words(level, least)}",
        )
    rows.unpersist()
    return Outcome(
        lab.named(f"{lab.rows:,} made-up scans of a tow"),
        [each.table for each in found.values()],
        [_picture(each, level, least) for least, each in found.items()],
        [claim for least, each in found.items() for claim in claims(each, f"For {_frames(least)}, ")],
        {"level": level, "min_rows": LEAST_ROWS, "windows_rows": SIZES, "seed": lab.seed},
    )


def _words(level: float, least: int) -> str:
    return f"fluorescence > {level} for at least {least} row{'s' if least > 1 else ''}"


def _frames(least: int) -> str:
    return f"frames of {least} rows or more" if least > 1 else "frames of any length"


def _picture(found: Comparison, level: float, least: int) -> Picture:
    title = f"Windows against frames: {_words(level, least)}"
    return Picture(f"least-{least}", title, lambda: picture(found, title))


STUDY = Study(
    "accuracy-dye",
    "How wrong windows are about dye in the sea",
    "Maier et al., DEBS 2012, figures 7 to 11",
    100_000,
    "scans",
    DYE,
    run,
)
