"""Traffic: freeways of any number and length, with the jams that were planted on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import one_of, share, whole
from streamframes.data.chance import Floats, Integers, generator
from streamframes.data.freeway.jams import LASTING, SHAPES, Jams, plan
from streamframes.data.freeway.road import Road
from streamframes.data.generated import Generated
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.runs import Runs, frames


@dataclass(frozen=True, eq=False, repr=False)
class FreewayData(Generated):
    """Loop-detector reports, their episodes per station, and the jams as regions of time and milepost."""

    @cached_property
    def regions(self) -> pa.Table:
        """The jams of at least three minutes, by highway and start.

        A box is the maximal rectangle of reports with `speed < 40`; a wedge is given by the rectangle around it, and
        is what hangs together of such reports. Both are exact where reports that are missing or bad are taken to be
        as the one before. `frame_heavy` says that it is one for `speed < 20` too.
        """
        return self.tables["regions"].table()


def freeway(
    stations: int = 24,
    hours: int = 24,
    *,
    highways: int = 1,
    seed: int = 0,
    missing: float = 0.0,
    bad: float = 0.0,
    shape: str = "box",
) -> FreewayData:
    """Loop-detector reports every 20 seconds, with planted jams and shorter slowdowns.

    Parameters
    ----------
    stations
        Stations per highway, 0.3 to 1.1 miles apart.
    hours
        How long they report, from midnight.
    highways
        How many highways.
    seed
        The same seed, the same data.
    missing
        The share of reports that are lost, in [0, 1); never those at the edges of a slow stretch.
    bad
        The share of reports that come but mean nothing, in [0, 1); again not those at the edges.
    shape
        `box`: a jam begins and ends at all its stations at once; `wedge`: it grows upstream and dissolves.

    Returns
    -------
    FreewayData
        `table` has highway, station, milepost, ts, speed (mph), volume (vehicles per lane and 20 seconds) and
        occupancy (percent of the time that a vehicle is over the loop); with `bad` also status, `ok` or `bad`, and
        the others are 0 where it is bad. Episodes and regions are those of the reports that are ok.

    Examples
    --------
    >>> made = freeway(stations=12, hours=24, seed=3)
    >>> made
    <freeway: 51,840 rows, 29 episodes of speed < 40 with min_duration=3 minutes; ts=ts, by=highway, station>
    >>> made.regions.num_rows
    4

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 5.3.
    Whiteneck et al., Framing the question, IWGS 2010, section 3.
    """
    stations = whole("freeway", "stations", stations)
    ticks = 180 * whole("freeway", "hours", hours)
    highways = whole("freeway", "highways", highways)
    seed = whole("freeway", "seed", seed, at_least=0)
    missing, bad = share("freeway", "missing", missing), share("freeway", "bad", bad)
    shape = one_of("freeway", "shape", shape, SHAPES)
    jams = plan(seed, stations=stations, highways=highways, ticks=ticks, shape=shape)
    slow, jam = jams.runs()
    road = Road(seed, *places(seed, stations, highways), slow, missing, bad)
    step = max(1, ROWS_PER_PART // len(road.milepost))
    num_rows, rows = _census(road, ticks, step)
    regions = regions_of(road, jams, np.bincount(jam, rows, len(jams.slant)).astype(np.int64), ticks)
    return FreewayData(
        name="freeway",
        scheme={"where": "speed < 40", "min_duration": "3 minutes"},
        ts="ts",
        by=("highway", "station"),
        num_rows=num_rows,
        tables={
            "rows": Parts(road.schema(), ticks, step, road.reports),
            "episodes": Parts.of(_episodes(road, rows, ticks)),
            "regions": Parts.of(regions),
        },
    )


def places(seed: int, stations: int, highways: int) -> tuple[pa.Array, Floats]:
    """The highway and the milepost of each station.

    Parameters
    ----------
    seed, stations, highways
        As in `freeway`.
    """
    names = pa.array([f"I-{5 + 10 * highway} N" for highway in range(highways)])
    apart = generator(seed, "freeway mileposts").uniform(0.3, 1.1, (highways, stations))
    mileposts = np.round(284 + np.cumsum(apart, axis=1), 2).ravel()
    return names.take(pa.array(np.repeat(np.arange(highways), stations))), mileposts


def _census(road: Road, ticks: int, step: int) -> tuple[int, Integers]:
    """How many reports there are, and how many good ones in each slow stretch."""
    if not road.missing and not road.bad:
        return ticks * len(road.milepost), road.slow.length
    total, rows = 0, np.zeros_like(road.slow.length)
    for low in range(0, ticks, step):
        high = min(low + step, ticks)
        kept, good = road.kept(low, high), road.good(low, high)
        tick, run = road.slow.within(low, high)
        total += int(np.count_nonzero(kept))
        np.add.at(rows, run, (kept & good)[tick - low, road.slow.group[run]])
    return total, rows


def _episodes(road: Road, rows: Integers, ticks: int) -> pa.Table:
    lasting = road.slow.length >= LASTING
    return frames(
        road.slow.take(lasting),
        {"highway": road.highway, "station": road.stations},
        road.instant,
        ticks=np.full(len(road.milepost), ticks),
        rows=rows[lasting],
    )


def regions_of(road: Road, jams: Jams, rows: Integers, ticks: int) -> pa.Table:
    """The lasting jams as regions of time and milepost, by highway and start.

    Parameters
    ----------
    road, jams
        The road, and what was planned for it.
    rows
        How many reports each jam has.
    ticks
        How many reports each station sends.
    """
    boxes, number = jams.boxes, np.arange(len(jams.slant))
    # Each jam is a group of its own here.
    each = Runs(number, boxes.start, boxes.length, boxes.level)
    lasting = boxes.length >= LASTING
    keys = {
        "highway": road.highway.take(pa.array(jams.last)),
        "frame_low": pa.array(road.milepost[jams.first]),
        "frame_high": pa.array(road.milepost[jams.last]),
        "frame_heavy": pa.array(road.heavy(each)),
    }
    found = frames(each.take(lasting), keys, road.instant, ticks=np.full(len(number), ticks), rows=rows[lasting])
    edges = ["frame_start", "frame_end", "frame_low", "frame_high"]
    order = ["highway", *edges, "frame_rows", "frame_closed_by", "frame_heavy"]
    return found.select(order).sort_by([(name, "ascending") for name in ("highway", *edges)])
