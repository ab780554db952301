"""Reports out of order within their lateness, and the last ones, which end whatever is open."""

from __future__ import annotations

import random

import pyarrow as pa

from streamframes.data import routers

ROWS, ROUTERS = 1_500, 4
_DAY = 86_400_000_000


def arrived(seed: int) -> tuple[pa.Table, pa.Table]:
    """Reports in the order of their arrival, one in ten of them late but not too late; then those of later days."""
    table = routers(ROWS, routers=ROUTERS, seed=seed).table.select(["router", "rpt_time", "drop_pct"])
    rng = random.Random(seed)
    arrival = [t.value + (rng.randrange(50_000_000) if rng.random() < 0.1 else 0) for t in table["rpt_time"]]
    table = table.take(pa.array(sorted(range(len(arrival)), key=arrival.__getitem__)))
    last = max(each.value for each in table["rpt_time"])
    names = sorted(set(table["router"].to_pylist()))
    ends = [(name, last + days * _DAY, 0.0) for days in (1, 2, 3) for name in names]
    columns = [
        pa.array(list(each)).cast(kind) for each, kind in zip(zip(*ends, strict=True), table.schema.types, strict=True)
    ]
    return table, pa.Table.from_arrays(columns, schema=table.schema)
