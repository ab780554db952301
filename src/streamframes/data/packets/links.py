"""Links: rows of network links that send bursts of packets, and little or nothing in between."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.arguments import whole
from streamframes.data.chance import Integers
from streamframes.data.generated import Generated
from streamframes.data.instants import SECOND, TIMESTAMP, timestamps
from streamframes.data.packets.arrivals import Arrivals
from streamframes.data.packets.sending import Sending, planned
from streamframes.data.parts import ROWS_PER_PART, Parts
from streamframes.data.runs import frames

_BLOCK = 128
"""Rows of a link in a block of arrivals: many for the gaps to be exponential, few to find one of them."""
_BURSTS_PER_PART = 1 << 12
"""Each needs the blocks of its first and of its last row."""


def packets(
    rows: int = 100_000,
    links: int = 4,
    *,
    seed: int = 0,
    shape: float = 1.5,
    smallest: int = 1,
    calm: int = 500,
    rate: int = 400,
    background: int = 0,
) -> Generated:
    """Traffic of network links that are ON for a burst of packets and OFF until the next.

    The number of packets of a burst has a Pareto distribution, so most bursts are short and a few very long.
    While a link is ON, each of its rows carries one packet of 500 to 1,500 bytes. The paper speaks of ON and OFF
    and counts pauses in rows, so pauses have rows that carry nothing, unless there is a background.

    Parameters
    ----------
    rows
        Rows of all links together.
    links
        How many links.
    seed
        The same seed, the same data.
    shape, smallest
        The Pareto distribution of the packets of a burst, which are shape * smallest / (shape - 1) on average;
        the shape is greater than 1.
    calm
        Mean number of rows of a link between two bursts (exponential, at least one).
    rate
        Rows of a link per second, with exponential gaps between them.
    background
        Mean number of bytes of the small traffic to which bursts are added, 200 at most; in each row it is
        anything from 0 to twice as much.

    Returns
    -------
    Generated
        `table` has link, ts and bytes; `episodes` are the bursts.

    Examples
    --------
    >>> packets(rows=20_000, links=2)
    <packets: 20,000 rows, 48 episodes of bytes > 0 with min_rows=1; ts=ts, by=link>
    >>> packets(rows=20_000, links=2, background=40)
    <packets: 20,000 rows, 48 episodes of bytes > 80 with min_rows=1; ts=ts, by=link>

    References
    ----------
    Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
    section 5 (the synthetic data).
    """
    rows = whole("packets", "rows", rows)
    links = whole("packets", "links", links)
    rate = whole("packets", "rate", rate, at_most=SECOND)
    sending = planned("packets", rows, links, seed, shape, smallest, calm, background)
    block = min(_BLOCK, max(1, ROWS_PER_PART // links))
    step = max(1, ROWS_PER_PART // links // block) * block
    made = _Links(rows, _names(links), sending, Arrivals(sending.seed, links, rate, block))
    return Generated(
        name="packets",
        scheme={"where": f"bytes > {sending.most_background}", "min_rows": 1},
        ts="ts",
        by=("link",),
        num_rows=rows,
        tables={"rows": Parts(_Links.schema(), int(sending.ticks[0]), step, made.between), "episodes": made.episodes()},
    )


@dataclass(frozen=True, slots=True)
class _Links:
    """What the rows of every part have in common."""

    rows: int
    names: pa.Array
    sending: Sending
    arrivals: Arrivals

    @staticmethod
    def schema() -> pa.Schema:
        return pa.schema({"link": pa.string(), "ts": TIMESTAMP, "bytes": pa.int64()})

    def between(self, part: int, low: int, high: int) -> pa.Table:
        instants, sent = self.arrivals.between(low, high), self.sending.between(low, high)
        # Only the last line may be incomplete, and it ends where the rows do.
        number = min(self.rows, high * len(self.names)) - low * len(self.names)
        link = np.broadcast_to(np.arange(len(self.names), dtype=np.int32), sent.shape).ravel()
        order = np.argsort(instants.ravel()[:number], kind="stable")
        names = pa.DictionaryArray.from_arrays(link[order], self.names).dictionary_decode()
        columns = [names, timestamps(instants.ravel()[order]), pa.array(sent.ravel()[order])]
        return pa.table(columns, schema=self.schema())

    def episodes(self) -> Parts:
        """The bursts by link and start; instants are found when they are asked for."""
        bursts = self.sending.bursts
        bursts = bursts.take(np.lexsort((bursts.start, bursts.group)))

        def make(part: int, low: int, high: int) -> pa.Table:
            some = bursts.take(np.arange(low, high))
            return frames(some, {"link": self.names}, self._instant, ticks=self.sending.ticks)

        return Parts(make(0, 0, 0).schema, len(bursts.start), _BURSTS_PER_PART, make)

    def _instant(self, link: Integers, tick: Integers) -> pa.Array:
        return timestamps(self.arrivals.of(link, tick))


def _names(links: int) -> pa.Array:
    width = len(str(links - 1))
    return pa.array([f"link-{link:0{width}d}" for link in range(links)])
