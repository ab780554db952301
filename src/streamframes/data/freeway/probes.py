"""Probes: vehicles that drive along a freeway and report where they are and how fast; in a jam they are slow.

milepost
  |        /    xxxxxxx/         x   a jam
  |       /     xxx__/x          /   a vehicle, which loses time in it
  |      /      x_/xxxx
  +------------------------------> time
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import one_of, whole
from streamframes.data.chance import Integers, addressed
from streamframes.data.freeway.jams import SHAPES, plan
from streamframes.data.freeway.road import Road, jammed
from streamframes.data.freeway.traffic import places, regions_of
from streamframes.data.generated import Generated
from streamframes.data.instants import SECOND, TICK, TIMESTAMP, timestamps
from streamframes.data.parts import ROWS_PER_PART, Parts

_SLOWEST, _USUAL = 5, 60
_MOST_REPORTS = 1 << 32
"""Of a vehicle; what numbers its reports."""
_SCHEMA = pa.schema(
    {"highway": pa.string(), "vehicle": pa.int64(), "ts": TIMESTAMP, "milepost": pa.float64(), "speed": pa.float64()}
)


@dataclass(frozen=True, eq=False, repr=False)
class ProbeData(Generated):
    """Reports of vehicles, and the jams that they drove through."""

    def __repr__(self) -> str:
        """What it is, in a line."""
        jams = f"{self.episodes.num_rows:,} jams of speed < 40"
        return f"<{self.name}: {self.num_rows:,} rows, {jams}; ts={self.ts}, by={', '.join(self.by)}>"


def probes(vehicles: int = 500, *, stations: int = 24, hours: int = 24, seed: int = 0, shape: str = "box") -> ProbeData:
    """Vehicles that drive through the jams of `freeway(stations, hours, seed=seed, shape=shape)`.

    Each drives from the first to the last station and reports every 20 seconds, from the second on at which it
    came. It is slow, below 40 mph, where the stations before and behind it are, in their reports before and after.

    Parameters
    ----------
    vehicles
        How many come, at any time.
    stations, hours, seed, shape
        The freeway.

    Returns
    -------
    ProbeData
        `table` has highway, vehicle, ts, milepost and speed (mph). `episodes` are the regions of the freeway;
        `frame_rows` is how many reports of vehicles are slow in each, which may be none. In boxes, all reports are.

    Examples
    --------
    >>> made = probes(100, stations=12, seed=3)
    >>> made
    <probes: 2,775 rows, 4 jams of speed < 40; ts=ts, by=highway>
    >>> made.episodes["frame_rows"].to_pylist()
    [9, 16, 0, 105]
    """
    vehicles = whole("probes", "vehicles", vehicles, at_most=2**31 - 1)
    stations = whole("probes", "stations", stations)
    ticks = 180 * whole("probes", "hours", hours)
    seed = whole("probes", "seed", seed, at_least=0)
    shape = one_of("probes", "shape", shape, SHAPES)
    jams = plan(seed, stations=stations, highways=1, ticks=ticks, shape=shape)
    slow, jam = jams.runs()
    traffic = _Traffic(seed, vehicles, Road(seed, *places(seed, stations, 1), slow, 0.0), ticks)
    step = max(traffic.longest, ROWS_PER_PART * ticks // (vehicles * traffic.usual))
    reports, num_rows = np.zeros(len(jams.slant), np.int64), 0
    for low in range(0, ticks, step):
        run = traffic.driven(low, min(low + step, ticks))[-1]
        num_rows += run.size
        reports += np.bincount(jam[run[run >= 0]], minlength=reports.size)
    return ProbeData(
        name="probes",
        scheme={},
        ts="ts",
        by=("highway",),
        num_rows=num_rows,
        tables={
            "rows": Parts(_SCHEMA, ticks, step, traffic.reports),
            "episodes": Parts.of(regions_of(traffic.road, jams, reports, ticks)),
        },
    )


@dataclass(frozen=True)
class _Traffic:
    """Vehicles on a road; those that came earlier have lower numbers."""

    seed: int
    vehicles: int
    road: Road
    ticks: int

    @property
    def longest(self) -> int:
        """Reports of a vehicle at the most."""
        return self._trip(_SLOWEST)

    @property
    def usual(self) -> int:
        """Reports of a vehicle that meets no jam."""
        return self._trip(_USUAL)

    def _trip(self, speed: float) -> int:
        return 2 + math.ceil(float(self.road.milepost[-1] - self.road.milepost[0]) / speed * 180)

    def reports(self, part: int, low: int, high: int) -> pa.Table:
        """The reports of a part, by time and vehicle."""
        vehicle, instant, milepost, speed, _ = self.driven(low, high)
        highway = pa.array([self.road.highway[0].as_py()]).take(pa.array(np.zeros(len(vehicle), np.int64)))
        columns = [highway, pa.array(vehicle + 1), timestamps(instant), pa.array(milepost), pa.array(speed)]
        return pa.table(columns, schema=_SCHEMA)

    def driven(self, low: int, high: int) -> list[np.ndarray]:
        """Vehicle, instant, milepost, speed and slow stretch (-1: none) of each report with low <= tick < high."""
        share = np.sort(addressed(self.seed, "probes come", np.arange(self.vehicles)))
        came = (share * self.ticks * (TICK // SECOND)).astype(np.int64) * SECOND
        near = np.arange(*np.searchsorted(came, [(low - self.longest) * TICK, high * TICK]))
        steps = [step for step in self._drive(near, came[near], low, high) if step[0].size]
        if not steps:
            none = np.zeros(0, np.int64)
            return [none, none, none.astype(np.float64), none.astype(np.float64), none]
        columns = [np.concatenate(column) for column in zip(*steps, strict=True)]
        order = np.lexsort((columns[0], columns[1]))
        return [column[order] for column in columns]

    def _drive(self, vehicle: Integers, instant: Integers, low: int, high: int) -> Iterator[list[np.ndarray]]:
        """One report of every vehicle that is under way, again and again, from when each came."""
        first, jam = self._jam(low, high)
        milepost = np.full(len(vehicle), self.road.milepost[0])
        for nth in range(self.longest):
            run = self._slow(jam, instant - first * TICK, milepost)
            chance = addressed(self.seed, "probes drive", vehicle * _MOST_REPORTS + nth)
            free = 54 + 12 * addressed(self.seed, "probes like", vehicle) + 4 * chance
            level = self.road.slow.level[run] if self.road.slow.level.size else chance
            speed = np.round(np.where(run >= 0, jammed(level, chance), free), 1)
            reported = instant >= low * TICK
            yield [column[reported] for column in (vehicle, instant, milepost, speed, run)]
            milepost, instant = np.round(milepost + speed / 180, 3), instant + TICK
            going = (milepost <= self.road.milepost[-1]) & (instant < high * TICK)
            vehicle, instant, milepost = vehicle[going], instant[going], milepost[going]
            if not vehicle.size:
                return

    def _jam(self, low: int, high: int) -> tuple[int, Integers]:
        """The slow stretch of each tick and station, -1 for none, from the first tick on that matters."""
        first = max(0, low - self.longest)
        jam = np.full((high + 1 - first, len(self.road.milepost)), -1)
        tick, run = self.road.slow.within(first, high + 1)
        jam[tick - first, self.road.slow.group[run]] = run
        return first, jam

    def _slow(self, jam: Integers, instant: Integers, milepost: np.ndarray) -> Integers:
        """The slow stretch of the station behind, if all reports around are slow."""
        posts = self.road.milepost
        behind = np.maximum(np.searchsorted(posts, milepost, side="right") - 1, 0)
        ahead = behind + (milepost > posts[behind])
        before, after = instant // TICK, -(-instant // TICK)
        around = [jam[tick, station] for tick in (before, after) for station in (behind, ahead)]
        return np.where(np.min(around, axis=0) >= 0, around[0], -1)
