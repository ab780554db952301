"""Road: what the loop detectors of a freeway report, and what they fail to report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.chance import Flags, Floats, Integers, addressed, generator
from streamframes.data.instants import TICK, TIMESTAMP, hour_of_day, timestamps
from streamframes.data.runs import Runs

_HOURS = (0.0, 3.0, 5.0, 7.5, 10.0, 15.0, 17.0, 19.0, 22.0, 24.0)
_VOLUME = (2.0, 0.8, 2.0, 10.0, 7.0, 8.5, 10.5, 6.0, 4.0, 2.0)
"""Mean vehicles per lane and 20 seconds, by the hour."""
_FEET_PER_VEHICLE = 22
"""A vehicle and the loop together: how far it travels while the loop sees it."""
_HEAVY = 0.5
"""Jams below this level keep under 20 mph, the others between 22 and 37."""


def jammed(level: Floats, chance: Floats) -> Floats:
    """How fast traffic is in a jam, in mph.

    Parameters
    ----------
    level
        Of the jam.
    chance
        Uniform in [0, 1).

    Examples
    --------
    >>> jammed(np.array([0.1, 0.1, 0.9]), np.array([0.0, 0.99, 0.5])).round(1)
    array([ 5. , 12.5, 29. ])
    """
    return np.where(level < _HEAVY, 5 + (6 + 16 * level) * chance, 22 + (5 + 10 * level) * chance)


@dataclass(frozen=True, slots=True)
class Road:
    """Stations along highways, all of which report at the same instants.

    Parameters
    ----------
    seed
        The user's seed.
    highway, milepost
        Of each station.
    slow
        Where it jams; the stations are the groups.
    missing, bad
        The shares of reports that are lost, and that come but mean nothing.

    Examples
    --------
    >>> slow = Runs(np.array([0]), np.array([1]), np.array([2]), np.array([0.3]))
    >>> road = Road(0, pa.array(["I-5 N"]), np.array([284.5]), slow, 0.0)
    >>> [speed < 40 for speed in road.reports(0, 0, 4)["speed"].to_pylist()]
    [False, True, True, False]
    """

    seed: int
    highway: pa.Array
    milepost: Floats
    slow: Runs
    missing: float
    bad: float = 0.0

    def schema(self) -> pa.Schema:
        """The columns; reports say whether they mean something only where some do not."""
        return pa.schema(
            {
                "highway": pa.string(),
                "station": pa.int64(),
                "milepost": pa.float64(),
                "ts": TIMESTAMP,
                "speed": pa.float64(),
                "volume": pa.int64(),
                "occupancy": pa.float64(),
            }
            | ({"status": pa.string()} if self.bad else {})
        )

    @staticmethod
    def instant(group: Integers, tick: Integers) -> pa.Array:
        """When a station sends its reports.

        Parameters
        ----------
        group, tick
            Which station, which report.
        """
        return timestamps(tick * TICK)

    @property
    def stations(self) -> pa.Array:
        """The number of each station."""
        return pa.array(np.arange(1, len(self.milepost) + 1))

    def heavy(self, runs: Runs) -> Flags:
        """Whether traffic stays below 20 mph, which else it never does.

        Parameters
        ----------
        runs
            Slow stretches or jams of this road.
        """
        return runs.level < _HEAVY

    def reports(self, part: int, low: int, high: int) -> pa.Table:
        """The reports of a part, by time and station.

        Parameters
        ----------
        part
            Its number.
        low, high
            Its ticks, low <= tick < high.
        """
        random = generator(self.seed, "freeway rows", part)
        tick = np.arange(low, high)[:, np.newaxis]
        shape = (high - low, len(self.milepost))
        usual = np.interp(hour_of_day(tick), _HOURS, _VOLUME)
        speed = 64 - 0.8 * usual + 9 * random.random(shape)
        mean = np.repeat(usual, shape[1], axis=1)
        slow, run = self.slow.within(low, high)
        cell, level, chance = (
            (slow - low, self.slow.group[run]),
            self.slow.level[run],
            random.random(len(run)),
        )
        jam = jammed(level, chance)
        speed[cell], mean[cell] = jam, 0.5 + 0.15 * jam
        volume, speed = random.poisson(mean), np.round(speed, 1)
        # Vehicles per mile of lane times the part of a mile that each of them covers.
        occupancy = np.minimum(volume * 180 / speed * (100 * _FEET_PER_VEHICLE / 5280), 100)
        instants = timestamps(np.repeat(tick.ravel() * TICK, shape[1]))
        good = self.good(low, high).ravel()
        measures = [pa.array(measure.ravel() * good) for measure in (speed, volume, np.round(occupancy, 2))]
        if self.bad:
            measures.append(pa.array(["bad", "ok"]).take(pa.array(good.astype(np.int64))))
        place = pa.array(np.tile(np.arange(shape[1]), shape[0]))
        places = [values.take(place) for values in (self.highway, self.stations, pa.array(self.milepost))]
        table = pa.table([*places, instants, *measures], schema=self.schema())
        return table.filter(pa.array(self.kept(low, high).ravel())) if self.missing else table

    def kept(self, low: int, high: int) -> Flags:
        """Which reports are not lost: those at the edges of a slow stretch, inside and outside, never are.

        Parameters
        ----------
        low, high
            The ticks.
        """
        return self._spared("freeway lost", self.missing, low, high)

    def good(self, low: int, high: int) -> Flags:
        """Which reports mean something: those at the edges of a slow stretch, inside and outside, always do.

        Parameters
        ----------
        low, high
            The ticks.
        """
        return self._spared("freeway bad", self.bad, low, high)

    def _spared(self, purpose: str, share: float, low: int, high: int) -> Flags:
        width = len(self.milepost)
        if not share:
            return np.ones((high - low, width), np.bool_)
        kept = addressed(self.seed, purpose, np.arange(low * width, high * width)) >= share
        kept = kept.reshape(-1, width)
        runs = self.slow.take(np.arange(*self.slow.near(low - 1, high + 1).indices(len(self.slow.start))))
        for tick in (runs.start - 1, runs.start, runs.end, runs.end + 1):
            inside = (low <= tick) & (tick < high)
            kept[tick[inside] - low, runs.group[inside]] = True
        return kept
