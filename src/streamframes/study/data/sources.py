"""Sources: the traffic and the dye of several studies, what they need of a file, and what is made without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.errors import StreamFramesError
from streamframes.study.kit import Lab, Need

if TYPE_CHECKING:
    from streamframes.data import FreewayData, Generated
    from streamframes.spark import DataFrame

STATIONS = 6
REPORTS_AN_HOUR = 180
FAILED = 0.003
LEVEL, HIGHEST = 0.2, 0.9
RARE, COMMON = 0.001, 0.5

TRAFFIC = (
    Need("ts", "when a report was made", ("CAST(time AS TIMESTAMP)", "CAST(starttime AS TIMESTAMP)"), kind="time"),
    Need("speed", "in mph", ("v_avg_kmh / 1.609344",), kind="number"),
    Need("station", "which detector reports", ("det", "detectorid"), optional=True),
)
"""Reports of loop detectors; those of the German A5 are in km/h."""

SCAN = Need("scan", "the number of a row, in order", kind="number")
CAST = Need("cast", "which cast or tow a row is of", optional=True)
DYE = (
    SCAN,
    Need("fluorescence", "of dye, in any unit", ("CAST(fluor_volts AS DOUBLE)", "fluor_cdom_mg_m3"), kind="number"),
    CAST,
)
"""Scans of a fluorometer."""


def traffic(lab: Lab, *, stations: int = STATIONS) -> DataFrame:
    """The reports that were given, if they have a speed, or those of a made-up freeway."""
    return lab.rows_of(lambda: freeway_of(lab.rows, lab.seed, stations)).where("speed IS NOT NULL").cache()


def freeway_of(rows: int, seed: int, stations: int = STATIONS) -> FreewayData:
    """A freeway with about so many reports, of which some failed and say 0 mph, as those of real detectors do."""
    from streamframes.data import freeway

    hours = max(1, round(rows / (stations * REPORTS_AN_HOUR)))
    return freeway(stations=stations, hours=hours, seed=seed, bad=FAILED)


def dye(lab: Lab) -> DataFrame:
    """The scans that were given, if they have a value, or those of a made-up tow."""
    return lab.rows_of(lambda: tow_of(lab.rows, lab.seed)).where("fluorescence IS NOT NULL").cache()


def tow_of(rows: int, seed: int) -> Generated:
    """A tow of so many scans."""
    from streamframes.data import tow

    return tow(rows, seed=seed)


def groups(rows: DataFrame) -> list[str]:
    """The columns that say what belongs together, of those that the rows have."""
    return [name for name in ("highway", "station", "cast") if name in rows.columns]


def level_of(lab: Lab, rows: DataFrame) -> float:
    """From which fluorescence on there is dye: 0.2, unless that parts nothing; then the highest tenth is.

    Fluorometers have offsets and units of their own: most of the casts of one are above 0.2 from end to end.
    """
    share = f"avg(CAST(fluorescence > {LEVEL} AS INT))"
    levels = rows.selectExpr(f"{share} AS above", f"percentile(fluorescence, {HIGHEST}) AS high")
    found = lab.fetch("Looking at levels", levels).to_pylist()[0]
    if found["above"] is None:
        raise StreamFramesError("the column 'fluorescence' holds no numbers; give another with --with")
    return LEVEL if RARE <= found["above"] <= COMMON else round(found["high"], 4)
