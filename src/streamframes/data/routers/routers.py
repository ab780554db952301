"""Network: reports of backbone routers, some of which drop packets for a while.

drop_pct
   1.0 |              xxxx
       |     x        x  x          an episode lasts two minutes or more, a spike less
   0.3 |-----x--------x--x-----
       | xxxx xxxxxxxx   xxxxx      calm: between 0.05 and 0.25
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import whole
from streamframes.data.chance import Floats, Integers, generator
from streamframes.data.generated import Generated
from streamframes.data.instants import SECOND, TICK, TIMESTAMP, hour_of_day, timestamps
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.routers.commands import Commands
from streamframes.data.runs import Runs, frames, plant

_SUSTAINED = 7
"""Reports that span two minutes."""
_LEAD = 6
"""Commands become dense two minutes before an episode."""


@dataclass(frozen=True, eq=False, repr=False)
class RouterData(Generated):
    """Router reports, their episodes, and the control-plane commands that the routers received."""

    @cached_property
    def commands(self) -> pa.Table:
        """The commands in memory, in time order: router, sent_at, command."""
        return self.tables["commands"].table()


def routers(
    rows: int = 100_000, routers: int = 10, *, seed: int = 0, calm: int = 360, longest: int = 180
) -> RouterData:
    """Router reports every 20 seconds, with planted episodes of sustained loss and shorter spikes.

    Parameters
    ----------
    rows
        Reports of all routers together.
    routers
        How many routers.
    seed
        The same seed, the same data.
    calm
        Mean number of reports of a router between two planted runs.
    longest
        Reports of the longest episode.

    Returns
    -------
    RouterData
        `table` has router, rpt_time, total_pkts, pkt_bytes and drop_pct; `commands` are denser from two
        minutes before an episode to its end.

    Examples
    --------
    >>> routers(rows=2_000, routers=2).table.slice(0, 2).to_pylist()[1]["router"]
    'r1'

    References
    ----------
    Maier et al., Capturing episodes: may the frame be with you, DEBS 2012, section 1.
    """
    rows = whole("routers", "rows", rows)
    routers = whole("routers", "routers", routers)
    seed = whole("routers", "seed", seed, at_least=0)
    calm = whole("routers", "calm", calm)
    longest = whole("routers", "longest", longest, at_least=_SUSTAINED)
    random = generator(seed, "routers plan")
    ticks = (rows - np.arange(routers) + routers - 1) // routers
    phase = np.sort(random.integers(0, TICK // SECOND, routers)) * SECOND
    traffic = random.uniform(2e4, 2e5, routers)
    runs = plant(random, ticks, calm=calm, short=(1, _SUSTAINED - 1), long=(_SUSTAINED, longest), shorts=0.4)
    network = _Network(seed, rows, _names(routers), phase, traffic, runs)
    sustained = runs.take(runs.length >= _SUSTAINED)
    episodes = frames(sustained, {"router": network.names}, network.instant, ticks=ticks)
    span, step = int(ticks[0]), max(1, ROWS_PER_PART // routers)
    commands = Commands(seed, network.names, ticks, sustained.earlier(_LEAD))
    return RouterData(
        name="routers",
        scheme={"where": "drop_pct > 0.3", "min_duration": "2 minutes"},
        ts="rpt_time",
        by=("router",),
        num_rows=rows,
        tables={
            "rows": Parts(_Network.schema(), span, step, network.reports),
            "episodes": Parts.of(episodes),
            "commands": Parts(Commands.schema(), span, step, commands.during),
        },
    )


@dataclass(frozen=True, slots=True)
class _Network:
    """What the reports of every part have in common."""

    seed: int
    rows: int
    names: pa.Array
    phase: Integers
    traffic: Floats
    runs: Runs

    @staticmethod
    def schema() -> pa.Schema:
        return pa.schema(
            {
                "router": pa.string(),
                "rpt_time": TIMESTAMP,
                "total_pkts": pa.int64(),
                "pkt_bytes": pa.int64(),
                "drop_pct": pa.float64(),
            }
        )

    def instant(self, group: Integers, tick: Integers) -> pa.Array:
        return timestamps(tick * TICK + self.phase[group])

    def reports(self, part: int, low: int, high: int) -> pa.Table:
        random = generator(self.seed, "routers rows", part)
        tick = np.arange(low, high)[:, np.newaxis]
        shape = (high - low, len(self.names))
        drop = 0.05 + 0.2 * random.random(shape)
        packets = self.traffic * _by_day(tick) * (0.9 + 0.2 * random.random(shape))
        size = 500 + 400 * random.random(shape)
        lossy, run = self.runs.within(low, high)
        cell = (lossy - low, self.runs.group[run])
        drop[cell] = 0.32 + (0.1 + 1.4 * self.runs.level[run]) * random.random(len(run))
        packets[cell] *= 1.4
        number = min(self.rows, high * shape[1]) - low * shape[1]
        total = packets.astype(np.int64)
        router = np.broadcast_to(np.arange(shape[1], dtype=np.int32), shape)
        instants = (tick * TICK + self.phase).ravel()[:number]
        columns = (total, (total * size).astype(np.int64), np.round(drop, 4))
        measures = [pa.array(column.ravel()[:number]) for column in columns]
        names = pa.DictionaryArray.from_arrays(router.ravel()[:number], self.names).dictionary_decode()
        return pa.table([names, timestamps(instants), *measures], schema=self.schema())


def _names(routers: int) -> pa.Array:
    width = len(str(routers - 1))
    return pa.array([f"r{router:0{width}d}" for router in range(routers)])


def _by_day(tick: Integers) -> Floats:
    """Traffic relative to its mean: low before dawn, high in the evening."""
    return 1 - 0.5 * np.cos((hour_of_day(tick) - 4) * np.pi / 12)
