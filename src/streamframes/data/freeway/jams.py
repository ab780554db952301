"""Jams: stretches of road on which traffic is slow for a while, as boxes or wedges.

milepost
  |   xxxxxxxxxx        xxxxxxxxxx      the bottleneck, downstream
  |   xxxxxxxxxx          xxxxxx
  |   xxxxxxxxxx            xx          a queue grows upstream and dissolves
  +------------------------------> time
         box              wedge
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streamframes.data.chance import Integers, generator
from streamframes.data.instants import hour_of_day
from streamframes.data.runs import Runs, plant

LASTING = 10
"""Reports that span three minutes."""
SHAPES = ("box", "wedge")
_SECTION = 12
"""Stations of a section at the most; the last station of a section never jams, so sections do not touch."""
_HOURS = (0.0, 5.0, 6.5, 8.0, 10.0, 14.0, 16.5, 18.5, 20.0, 24.0)
_JAMMED = (0.02, 0.02, 0.6, 1.0, 0.3, 0.4, 1.0, 0.8, 0.1, 0.02)
"""How likely a planned jam is to happen, by the hour."""


@dataclass(frozen=True, slots=True)
class Jams:
    """Where and when it jams.

    Parameters
    ----------
    boxes
        The whole extent in time of each jam; its group is the section. In order of their start.
    first, last
        Its stations, upstream and downstream, counted over all highways.
    slant
        By how many ticks the jam begins later and ends earlier at each station upstream.

    Examples
    --------
    >>> box = Runs(np.array([0]), np.array([40]), np.array([9]), np.array([0.5]))
    >>> runs, jam = Jams(box, np.array([3]), np.array([5]), np.array([2])).runs()
    >>> runs.group, runs.start, runs.length
    (array([5, 4, 3]), array([40, 42, 44]), array([9, 5, 1]))
    """

    boxes: Runs
    first: Integers
    last: Integers
    slant: Integers

    def runs(self) -> tuple[Runs, Integers]:
        """The slow stretch of each station (a group) in each jam, and the jam it belongs to."""
        width = self.last - self.first + 1
        jam = np.repeat(np.arange(len(width)), width)
        upstream = np.arange(len(jam)) - np.repeat(np.cumsum(width) - width, width)
        delay = self.slant[jam] * upstream
        boxes = self.boxes.take(jam)
        start, station = boxes.start + delay, self.last[jam] - upstream
        order = np.argsort(start, kind="stable")
        return Runs(station, start, boxes.length - 2 * delay, boxes.level).take(order), jam[order]


def plan(seed: int, *, stations: int, highways: int, ticks: int, shape: str) -> Jams:
    """Scatter jams over the sections of all highways, most of them in the rush hours.

    Parameters
    ----------
    seed
        The user's seed.
    stations
        Stations per highway.
    highways
        How many highways.
    ticks
        How many reports each station sends.
    shape
        `box` or `wedge`.

    Examples
    --------
    >>> jams = plan(0, stations=12, highways=1, ticks=4320, shape="box")
    >>> hour_of_day(jams.boxes.start[:3]).round(1), jams.first[:3], jams.last[:3]
    (array([8.4, 8.9, 9.4]), array([1, 6, 7]), array([ 6,  6, 10]))
    """
    random = generator(seed, "freeway plan")
    first, last = _sections(stations, highways)
    boxes = plant(random, np.full(len(first), ticks), calm=180, short=(1, LASTING - 1), long=(LASTING, 360), shorts=0.4)
    happens = random.random(len(boxes.start)) < np.interp(hour_of_day(boxes.start), _HOURS, _JAMMED)
    boxes = boxes.take(happens)
    first, last = first[boxes.group], last[boxes.group]
    room = last - first + 1
    share = np.where(boxes.length < LASTING, 0.2, 1.0) * random.random(len(room))
    width = 1 + (share * room).astype(np.int64)
    last = last - (random.random(len(room)) * (room - width + 1)).astype(np.int64)
    steepest = (boxes.length - 1) // (2 * np.maximum(width - 1, 1))
    slant = (random.random(len(room)) * (steepest + 1)).astype(np.int64)
    return Jams(boxes, last - width + 1, last, slant if shape == "wedge" else np.zeros_like(slant))


def _sections(stations: int, highways: int) -> tuple[Integers, Integers]:
    """First and last station of each section that may jam, counted over all highways."""
    edges = np.linspace(0, stations, -(-stations // _SECTION) + 1).astype(np.int64)
    first, last = edges[:-1], edges[1:] - 2
    last[-1] = stations - 1
    offset = np.arange(highways)[:, np.newaxis] * stations
    return (first + offset).ravel(), (last + offset).ravel()
