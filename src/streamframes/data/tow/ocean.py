"""Ocean: a sensor towed up and down through a layer of fluorescent dye.

depth   \\    /\\    /\\    /
         \\==/==\\==/==\\==/==      a pass that crosses the dye (=) leaves a run of scans
          \\/    \\/    \\/          with high fluorescence, long or short
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import share, whole
from streamframes.data.chance import Floats, Integers, generator
from streamframes.data.generated import Generated
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.runs import Runs, frames, log_uniform
from streamframes.data.tow.seawater import density, pressure_at

_SHORTEST_PASS, _LONGEST_PASS = 700, 1300
_LONG, _LONGEST = 20, 600
"""Scans of a long run; a run never fills its pass, so two of them never meet."""
_GLOW = 0.06
"""Fluorescence without dye, at the depth where there is most."""


def tow(rows: int = 400_000, *, seed: int = 0, layers: int = 0, noise: float = 1.0) -> Generated:
    """Scans of an undulating tow, with planted dye episodes and shorter filaments of dye.

    Without layers, water changes smoothly with depth and dye lies at a depth. With layers, water changes from
    layer to layer, dye lies in water of one density, as it does in the sea, and what glows without dye does so at
    some depths more than at others.

    Parameters
    ----------
    rows
        How many scans.
    seed
        The same seed, the same data.
    layers
        How many layers of even water lie between the surface and the deep.
    noise
        How much values scatter from scan to scan, as a share of the usual.

    Returns
    -------
    Generated
        `table` has scan (from 1), fluorescence, depth_m, temp_c, salinity_psu and density (kg/m³, from the
        three before it).

    Examples
    --------
    >>> tow(rows=40_000)
    <tow: 40,000 rows, 17 episodes of fluorescence > 0.2 with min_rows=20; ts=scan>

    Water in layers hardly changes from one scan to the next, unless the sensor comes to the next layer:

    >>> for layers in (0, 4):
    ...     change = abs(np.diff(tow(rows=40_000, layers=layers, noise=0.05).table["density"]))
    ...     print(layers, round(float(np.median(change) / np.mean(change)), 2))
    0 0.76
    4 0.29

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 5.4.
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 4.1 and 4.2.
    """
    rows = whole("tow", "rows", rows)
    seed = whole("tow", "seed", seed, at_least=0)
    layers = whole("tow", "layers", layers, at_least=0)
    path = _Path.planned(rows, seed, layers, share("tow", "noise", noise, all_too=True))
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
    layers: int
    noise: float
    turns: Integers
    depths: Floats
    dye: Runs

    @classmethod
    def planned(cls, rows: int, seed: int, layers: int, noise: float) -> _Path:
        random = generator(seed, "tow plan")
        passes = rows // _SHORTEST_PASS + 2
        turns = np.concatenate([[0], np.cumsum(random.integers(_SHORTEST_PASS, _LONGEST_PASS + 1, passes))])
        down = np.arange(passes + 1) % 2 == 1
        depths = np.where(down, random.uniform(24, 38, passes + 1), random.uniform(1, 4, passes + 1))
        return cls(seed, layers, noise, turns, depths, _dye(random, rows, turns, depths, follows=layers > 0))

    @staticmethod
    def schema() -> pa.Schema:
        measures = ("fluorescence", "depth_m", "temp_c", "salinity_psu", "density")
        return pa.schema([("scan", pa.int64()), *((name, pa.float64()) for name in measures)])

    def scans(self, part: int, low: int, high: int) -> pa.Table:
        random = generator(self.seed, "tow rows", part)
        scan = np.arange(low, high)
        fluorescence = 0.01 + 0.1 * self.noise * random.random(len(scan)) ** 3
        dyed, run = self.dye.within(low, high)
        strength = random.uniform(1 - 0.3 * self.noise, 1, len(run))
        depth = np.interp(scan, self.turns, self.depths) + 0.05 * self.noise * random.random(len(scan))
        mixed = 1 / (1 + np.exp((depth - 13 - _swell(scan)) / 3))
        if self.layers:
            fluorescence += _GLOW * np.exp(-(((depth - 20) / 5) ** 2))
            strength *= self._streaks(dyed, mixed[dyed - low])
            mixed = self._stepped(mixed)
        fluorescence[dyed - low] = self._dye_at(dyed, run, strength)
        temperature = 8.2 + 7 * mixed + 0.02 * self.noise * random.random(len(scan))
        salinity = 33.7 - 1.6 * mixed + 0.004 * self.noise * random.random(len(scan))
        measures = [np.round(m, 4) for m in (fluorescence, depth, temperature, salinity)]
        rho = np.round(density(measures[3], measures[2], pressure_at(measures[1])), 4)
        return pa.table([pa.array(c) for c in (scan + 1, *measures, rho)], schema=self.schema())

    def _dye_at(self, scan: Integers, run: Integers, strength: Floats) -> Floats:
        through = (scan - self.dye.start[run] + 0.5) / self.dye.length[run]
        peak = 0.1 + 3 * self.dye.level[run] ** 2
        return 0.21 + peak * np.sin(np.pi * through) * strength

    def _stepped(self, mixed: Floats) -> Floats:
        """The share of surface water where it changes by layers: little within one, much between two."""
        turn = 2 * np.pi * self.layers
        for _ in range(2):
            mixed = mixed + 0.95 * np.sin(turn * mixed) / turn
        return mixed

    def _streaks(self, scan: Integers, mixed: Floats) -> Floats:
        """How much of the dye is left: more within a layer than between two, and in streaks along the way."""
        within = 0.7 - 0.3 * np.cos(2 * np.pi * self.layers * mixed)
        return within * (0.85 + 0.15 * np.sin(scan / 6))


def _swell(scan: Integers) -> Floats:
    """By how many metres the water is lower than usual."""
    return np.sin(scan / 9_000) + 0.5 * np.sin(scan / 2_300)


def _dye(random: np.random.Generator, rows: int, turns: Integers, depths: Floats, *, follows: bool) -> Runs:
    """At most one run per pass, where it passes the depth of the dye, which follows the water or wanders by itself.

    Passes with dye come in patches.
    """
    passes = len(turns) - 1
    patchy = np.convolve(random.random(passes + 8), np.ones(9) / 9, mode="valid") > 0.55
    filament = random.random(passes) < 0.35
    length = np.where(filament, random.integers(1, _LONG, passes), log_uniform(random, passes, _LONG, _LONGEST))
    wander = _swell((turns[:-1] + turns[1:]) // 2) if follows else 2 * np.sin(np.arange(passes) / 30)
    layer = 13 + wander + random.normal(0, 0.8, passes)
    share = (layer - depths[:-1]) / (depths[1:] - depths[:-1])
    middle = turns[:-1] + (share * np.diff(turns)).astype(np.int64)
    start = np.clip(middle - length // 2, turns[:-1] + 1, turns[1:] - 1 - length)
    met = patchy & (start < rows)
    length = np.minimum(length, rows - start)
    return Runs(np.zeros(passes, np.int64), start, length, random.random(passes)).take(met)
