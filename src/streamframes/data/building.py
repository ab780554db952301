"""Building: where people are on the floors of an office, and the gatherings that were planted among them.

y |  . | . | . | . |       a person at each desk, one desk in a cell of 10 feet
  |  . |:::|:::| . |       some walk about
  |  . |:::|:::| . |       : a gathering, in 2 x 2 cells
  +------------------> x
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import whole
from streamframes.data.chance import Integers, addressed, generator
from streamframes.data.generated import Generated
from streamframes.data.instants import SECOND, TIMESTAMP, timestamps
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.runs import Runs, plant

_MINUTE = 60 * SECOND
_CELL, _ACROSS = 10, 12
"""Feet of a cell, and cells of a floor from west to east."""
_LASTING = 5
_FEWEST, _MOST = 20, 40
"""People of a gathering: five at least in each of its cells, and never more than two elsewhere."""
_WALK, _STRIDE = 0.05, 7
_SCHEMA = pa.schema({"floor": pa.int64(), "person": pa.int64(), "ts": TIMESTAMP, "x": pa.float64(), "y": pa.float64()})


def building(floors: int = 2, hours: int = 8, *, people: int = 60, seed: int = 0) -> Generated:
    """Where people are on the floors of an office, once a minute, with planted gatherings and shorter ones.

    Parameters
    ----------
    floors
        How many floors, 120 feet wide.
    hours
        How long people are seen.
    people
        How many on each floor, 40 at least.
    seed
        The same seed, the same data.

    Returns
    -------
    Generated
        `table` has floor, person, ts, x and y (feet). `episodes` are the gatherings of at least five minutes, by
        floor and start: frame_start, frame_end (the end of its last minute), frame_low_x, frame_high_x, frame_low_y
        and frame_high_y (the edges of its cells), and people. While it lasts, each of its four cells of 10 feet holds
        five people or more; no other cell ever holds more than two.

    Examples
    --------
    >>> made = building(floors=2, hours=8, seed=1)
    >>> made.num_rows, made.episodes.num_rows
    (57600, 12)
    >>> {name: value for name, value in made.episodes.to_pylist()[0].items() if "_x" in name or "_y" in name}
    {'frame_low_x': 0.0, 'frame_high_x': 20.0, 'frame_low_y': 20.0, 'frame_high_y': 40.0}
    """
    floors = whole("building", "floors", floors)
    minutes = 60 * whole("building", "hours", hours)
    people = whole("building", "people", people, at_least=_MOST)
    seed = whole("building", "seed", seed, at_least=0)
    random = generator(seed, "building plan")
    runs = plant(random, np.full(floors, minutes), calm=60, short=(1, _LASTING - 1), long=(_LASTING, 60), shorts=0.3)
    deep = -(-people // _ACROSS) + 2
    west, south = ((random.random(len(runs.start)) * (cells - 1)).astype(np.int64) * _CELL for cells in (_ACROSS, deep))
    size = random.integers(_FEWEST, _MOST + 1, len(runs.start))
    house = _House(seed, floors, people, deep, runs, west, south, size)
    return _Gatherings(
        name="building",
        scheme={},
        ts="ts",
        by=("floor",),
        num_rows=floors * people * minutes,
        tables={
            "rows": Parts(_SCHEMA, minutes, max(1, ROWS_PER_PART // (floors * people)), house.reports),
            "episodes": Parts.of(house.gatherings()),
        },
    )


class _Gatherings(Generated):
    """People, and where they gathered."""

    def __repr__(self) -> str:
        """What it is, in a line."""
        gatherings = f"{self.episodes.num_rows:,} gatherings"
        return f"<{self.name}: {self.num_rows:,} rows, {gatherings}; ts={self.ts}, by={', '.join(self.by)}>"


@dataclass(frozen=True)
class _House:
    """Floors of so many people and cells, and the gatherings with their south-west corners."""

    seed: int
    floors: int
    people: int
    deep: int
    runs: Runs
    west: Integers
    south: Integers
    size: Integers

    def gatherings(self) -> pa.Table:
        """Those that last, by floor and start."""
        lasting = self.runs.length >= _LASTING
        runs, west, south = self.runs.take(lasting), self.west[lasting], self.south[lasting]
        columns = {
            "floor": pa.array(runs.group + 1),
            "frame_start": timestamps(runs.start * _MINUTE),
            "frame_end": timestamps((runs.end + 1) * _MINUTE),
            "frame_low_x": pa.array(west.astype(np.float64)),
            "frame_high_x": pa.array(west + 2.0 * _CELL),
            "frame_low_y": pa.array(south.astype(np.float64)),
            "frame_high_y": pa.array(south + 2.0 * _CELL),
            "people": pa.array(self.size[lasting]),
        }
        return pa.table(columns).sort_by([("floor", "ascending"), ("frame_start", "ascending")])

    def reports(self, part: int, low: int, high: int) -> pa.Table:
        """Where everybody is in the minutes low <= minute < high, by time, floor and person."""
        shape = (high - low, self.floors, self.people)
        minute, floor, person = (index.ravel() for index in np.indices(shape))
        minute += low
        index = (minute * self.floors + floor) * self.people + person
        west, south = self._alone(index, minute, person)
        self._gather(west, south, low, high)
        x, y = (
            # Somewhere in its cell.
            edge + np.round(0.5 + 9 * addressed(self.seed, f"building {name}", index), 1)
            for name, edge in (("x", west), ("y", south))
        )
        second = (addressed(self.seed, "building second", floor * self.people + person) * 60).astype(np.int64)
        instant = minute * _MINUTE + second * SECOND
        order = np.lexsort((person, floor, instant))
        columns = [floor + 1, person + 1, instant, x, y]
        arrays = [pa.array(column[order]) for column in columns]
        arrays[2] = timestamps(instant[order])
        return pa.table(arrays, schema=_SCHEMA)

    def _alone(self, index: Integers, minute: Integers, person: Integers) -> tuple[Integers, Integers]:
        """The cell of each person's desk, or the one to which the person walks; no two walk to one cell."""
        cells = _ACROSS * self.deep
        walks = addressed(self.seed, "building walk", index) < _WALK
        cell = np.where(walks, (person + _STRIDE * minute) % cells, person)
        return cell % _ACROSS * _CELL, cell // _ACROSS * _CELL

    def _gather(self, west: Integers, south: Integers, low: int, high: int) -> None:
        """Put those who gather into the cells of their gathering, in turn."""
        minute, run = self.runs.within(low, high)
        which = np.repeat(np.arange(len(run)), self.size[run])
        nth = np.arange(len(which)) - np.repeat(np.cumsum(self.size[run]) - self.size[run], self.size[run])
        minute, run = minute[which], run[which]
        # Others come to each gathering.
        person = (nth * self._apart() + self.runs.start[run]) % self.people
        row = ((minute - low) * self.floors + self.runs.group[run]) * self.people + person
        west[row] = self.west[run] + nth % 2 * _CELL
        south[row] = self.south[run] + nth // 2 % 2 * _CELL

    def _apart(self) -> int:
        """A step that meets everybody before anybody again."""
        return next(step for step in range(self.people // 3 + 1, 2 * self.people) if np.gcd(step, self.people) == 1)
