"""Instants: the clock of the made-up reports, which begins on Monday 5 January 2026, 00:00 UTC."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.data.chance import Floats, Integers

TIMESTAMP = pa.timestamp("us", "UTC")
SECOND = 1_000_000
TICK = 20 * SECOND
"""Routers and loop detectors report every 20 seconds."""

_BEGINNING = int(np.datetime64("2026-01-05T00:00:00", "us").astype(np.int64))


def timestamps(elapsed: Integers, beginning: int = _BEGINNING) -> pa.Array:
    """Microseconds since the beginning as an Arrow column of instants.

    Parameters
    ----------
    elapsed
        Microseconds.
    beginning
        Another beginning, in microseconds since 1970.

    Examples
    --------
    >>> timestamps(np.array([0, 3 * TICK]))[1]
    <pyarrow.TimestampScalar: '2026-01-05T00:01:00.000000+0000'>
    """
    return pa.array(elapsed + beginning).view(TIMESTAMP)


def hour_of_day(tick: Integers) -> Floats:
    """The time of day of a tick, in hours.

    Parameters
    ----------
    tick
        20-second ticks since the beginning.

    Examples
    --------
    >>> hour_of_day(np.array([0, 90, 4320]))
    array([0. , 0.5, 0. ])
    """
    return (tick % 4320) / 180.0
