"""Commands: what the control plane sent to the routers, more of it where packets are about to be lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.data.chance import Integers, generator
from streamframes.data.instants import TICK, TIMESTAMP, timestamps
from streamframes.data.runs import Runs

_KINDS = pa.array(["announce", "withdraw", "set-policy", "reset-session"])
_CALM, _DENSE = 1 / 15, 2.0
"""Mean number of commands per router and 20 seconds."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands to a network of routers.

    Parameters
    ----------
    seed
        The seed of the network.
    names
        Its routers.
    ticks
        How many reports each router sends; commands stop when the reports stop.
    dense
        Where many commands are sent.

    Examples
    --------
    >>> burst = Runs(np.array([0]), np.array([10]), np.array([20]), np.array([0.5]))
    >>> sent = Commands(0, pa.array(["r0"]), np.array([100]), burst).during(0, 0, 100)
    >>> sent.column_names, sent.num_rows
    (['router', 'sent_at', 'command'], 37)
    """

    seed: int
    names: pa.Array
    ticks: Integers
    dense: Runs

    @staticmethod
    def schema() -> pa.Schema:
        """The columns."""
        return pa.schema({"router": pa.string(), "sent_at": TIMESTAMP, "command": pa.string()})

    def during(self, part: int, low: int, high: int) -> pa.Table:
        """The commands of a part, in time order.

        Parameters
        ----------
        part
            Its number.
        low, high
            Its ticks, low <= tick < high.
        """
        random = generator(self.seed, "routers commands", part)
        rate = np.where(np.arange(low, high)[:, np.newaxis] < self.ticks, _CALM, 0.0)
        tick, run = self.dense.within(low, high)
        rate[tick - low, self.dense.group[run]] = _DENSE
        number = random.poisson(rate)
        tick, router = (np.repeat(index, number.ravel()) for index in np.indices(rate.shape).reshape(2, -1))
        sent_at = (tick + low) * TICK + random.integers(0, TICK // 1000, len(tick)) * 1000
        order = np.argsort(sent_at, kind="stable")
        kind = random.choice(len(_KINDS), len(order), p=[0.4, 0.35, 0.15, 0.1])
        columns = [self.names.take(pa.array(router[order])), timestamps(sent_at[order]), _KINDS.take(kind)]
        return pa.table(columns, schema=self.schema())
