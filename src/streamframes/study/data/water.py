"""Water: the scans of a tow or of casts, and how they are cut into pieces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamframes as sf
from streamframes.data import tow
from streamframes.data.tow.seawater import surface_density
from streamframes.errors import StreamFramesError
from streamframes.study.kit import Lab, Need

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

_DYE = ("CASE WHEN fluor_cdom_mg_m3 >= 0 THEN fluor_cdom_mg_m3 END", "fluor_volts")
_SALINITY = ("salinity_psu", "salinity_psu_derived")

DYE = Need("fluorescence", "how much dye there is, in any unit", _DYE, kind="number")
DEPTH = Need("depth_m", "metres below the surface", ("pressure_dbar / 1.005",), kind="number")
DENSITY = Need(
    "density", "of the water, in kg/m³", tuple(surface_density(name, "temp_c") for name in _SALINITY), kind="number"
)

LAYERS, NOISE = 4, 0.05
"""Of the tow that is made where no scans are given."""
PLAUSIBLE = {"depth_m": (2, 11_000), "density": (1_000, 1_060)}
"""What can be measured in the sea, below the surface where sensors are in air, or soak."""
_NEAR = 1.25
_ANY = (-1e300, 1e300)
_PASSED = "abs(depth_m - lag(depth_m, 1, depth_m) OVER (PARTITION BY cast ORDER BY scan)) AS passed_m"


@dataclass(frozen=True)
class Water:
    """Scans that can come from the sea: how many there are, and a note on what was left out."""

    rows: DataFrame
    n_rows: int
    notes: tuple[str, ...] = ()

    def named(self, lab: Lab) -> str:
        """What the scans are called."""
        return lab.named(f"A made-up tow of {self.n_rows:,} scans through {LAYERS} layers")

    def pieces(self, scheme: sf.Scheme, **measures: str) -> DataFrame:
        """What is measured of each piece that a scheme cuts."""
        return sf.frames(self.rows, scheme, ts="scan", by="cast").agg(**measures)

    def windows_like(self, n_frames: int) -> sf.Count:
        """Windows of rows, as many as there are frames or a few more."""
        return sf.Count(max(1, self.n_rows // n_frames))


def as_many_as(frames: int, others: int) -> bool:
    """Whether there are enough frames, and others so near to them in number, that they can be compared.

    >>> as_many_as(3_136, 3_150), as_many_as(1_771, 3_526), as_many_as(1, 1)
    (True, False, False)
    """
    return frames > 1 and others <= _NEAR * frames


def water(lab: Lab) -> Water:
    """The scans of a lab, with the metres since the scan before; of given ones, those that can come from the sea."""
    rows = lab.rows_of(lambda: tow(lab.rows, seed=lab.seed, layers=LAYERS, noise=NOISE))
    cast = "cast" if "cast" in rows.columns else "'one' AS cast"
    measures = [name for name in ("fluorescence", "depth_m", "density") if name in rows.columns]
    rows = rows.selectExpr("scan", cast, *(f"CAST({name} AS DOUBLE) AS {name}" for name in measures))
    if lab.data is None:
        return Water(rows.selectExpr("*", _PASSED).cache(), lab.rows)
    plausible = {name: PLAUSIBLE.get(name, _ANY) for name in measures}
    rows = rows.where(" AND ".join(f"{name} BETWEEN {low} AND {high}" for name, (low, high) in plausible.items()))
    rows = rows.selectExpr("*", _PASSED).cache()
    n_rows = lab.run("Counting scans", rows.count)
    limits = " and ".join(
        f"{low:,} <= {name} <= {high:,}" for name, (low, high) in plausible.items() if name in PLAUSIBLE
    )
    if not n_rows:
        raise StreamFramesError(f"no row of {lab.source} has values with {limits}; it does not look like the sea")
    note = f"Left out are {lab.rows - n_rows:,} rows without a value, or without {limits}."
    return Water(rows, n_rows, (note,) if n_rows < lab.rows else ())
