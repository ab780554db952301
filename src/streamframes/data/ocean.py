"""Ocean: a sensor towed up and down through a layer of fluorescent dye.

depth   \\    /\\    /\\    /
         \\==/==\\==/==\\==/==      a leg that crosses the dye (=) leaves a run of scans
          \\/    \\/    \\/          with high fluorescence, long or short
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import whole
from streamframes.data.chance import Floats, Integers, generator
from streamframes.data.generated import Generated
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.runs import Runs, frames, log_uniform
from streamframes.data.seawater import density, pressure_at

_SHORTEST_LEG, _LONGEST_LEG = 700, 1300
_LONG, _LONGEST = 20, 600
"""Scans of a long run; a run never fills its leg, so two of them never meet."""


def tow(rows: int = 400_000, *, seed: int = 0) -> Generated:
    """Scans of an undulating tow, with planted dye episodes and shorter filaments of dye.

    Parameters
    ----------
    rows
        How many scans.
    seed
        The same seed, the same data.

    Returns
    -------
    Generated
        `table` has scan (from 1), fluorescence, depth_m, temp_c, salinity_psu and density (kg/m³, from the
        three before it).

    Examples
    --------
    >>> tow(rows=40_000)
    <tow: 40,000 rows, 17 episodes of fluorescence > 0.2 with min_rows=20; ts=scan>

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 5.4.
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 4.1 and 4.2.
    """
    rows = whole("tow", "rows", rows)
    seed = whole("tow", "seed", seed, at_least=0)
    path = _Path.planned(rows, seed)
    episodes = frames(
        path.dye.take(path.dye.length >= _LONG),
        {},
        lambda group, scan: pa.array(scan + 1),
        ticks=np.array([rows]),
    )
    return Generated(
        name="tow",
        scheme={"where": "fluorescence > 0.2", "min_rows": _LONG},
        ts="scan",
        by=(),
        num_rows=rows,
        tables={
            "rows": Parts(_Path.schema(), rows, ROWS_PER_PART, path.scans),
            "episodes": Parts.of(episodes),
        },
    )


@dataclass(frozen=True, slots=True)
class _Path:
    """Where the sensor turns, and where it meets dye."""

    seed: int
    turns: Integers
    depths: Floats
    dye: Runs

    @classmethod
    def planned(cls, rows: int, seed: int) -> _Path:
        random = generator(seed, "tow plan")
        legs = rows // _SHORTEST_LEG + 2
        turns = np.concatenate([[0], np.cumsum(random.integers(_SHORTEST_LEG, _LONGEST_LEG + 1, legs))])
        down = np.arange(legs + 1) % 2 == 1
        depths = np.where(down, random.uniform(24, 38, legs + 1), random.uniform(1, 4, legs + 1))
        return cls(seed, turns, depths, _dye(random, rows, turns, depths))

    @staticmethod
    def schema() -> pa.Schema:
        measures = ("fluorescence", "depth_m", "temp_c", "salinity_psu", "density")
        return pa.schema([("scan", pa.int64()), *((name, pa.float64()) for name in measures)])

    def scans(self, part: int, low: int, high: int) -> pa.Table:
        random = generator(self.seed, "tow rows", part)
        scan = np.arange(low, high)
        fluorescence = 0.01 + 0.1 * random.random(len(scan)) ** 3
        dyed, run = self.dye.within(low, high)
        through = (dyed - self.dye.start[run] + 0.5) / self.dye.length[run]
        peak = 0.1 + 3 * self.dye.level[run] ** 2
        fluorescence[dyed - low] = 0.21 + peak * np.sin(np.pi * through) * random.uniform(0.7, 1, len(run))
        depth = np.interp(scan, self.turns, self.depths) + 0.05 * random.random(len(scan))
        swell = np.sin(scan / 9_000) + 0.5 * np.sin(scan / 2_300)
        mixed = 1 / (1 + np.exp((depth - 13 - swell) / 3))
        temperature = 8.2 + 7 * mixed + 0.02 * random.random(len(scan))
        salinity = 33.7 - 1.6 * mixed + 0.004 * random.random(len(scan))
        measures = [np.round(m, 4) for m in (fluorescence, depth, temperature, salinity)]
        rho = np.round(density(measures[3], measures[2], pressure_at(measures[1])), 4)
        return pa.table([pa.array(c) for c in (scan + 1, *measures, rho)], schema=self.schema())


def _dye(random: np.random.Generator, rows: int, turns: Integers, depths: Floats) -> Runs:
    """At most one run per leg, where the leg passes the depth of the dye; legs with dye come in patches."""
    legs = len(turns) - 1
    patchy = np.convolve(random.random(legs + 8), np.ones(9) / 9, mode="valid") > 0.55
    filament = random.random(legs) < 0.35
    length = np.where(filament, random.integers(1, _LONG, legs), log_uniform(random, legs, _LONG, _LONGEST))
    layer = 13 + 2 * np.sin(np.arange(legs) / 30) + random.normal(0, 0.8, legs)
    share = (layer - depths[:-1]) / (depths[1:] - depths[:-1])
    middle = turns[:-1] + (share * np.diff(turns)).astype(np.int64)
    start = np.clip(middle - length // 2, turns[:-1] + 1, turns[1:] - 1 - length)
    met = patchy & (start < rows)
    length = np.minimum(length, rows - start)
    return Runs(np.zeros(legs, np.int64), start, length, random.random(legs)).take(met)
