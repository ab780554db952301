"""Worlds at work: plans and rows of them for tables and streams, and results as the reference has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.regions.arguments import density_of, limits_of, method_of, reading_of
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.regions.plan import DENSITY, RECTANGLE, Listed
from streamframes.core.regions.types import Limits
from tests.core.regions.worlds import Swarm, World

KEYS = pa.schema([("key", pa.string())])
CLOCK = Clock("integer")
STATES = {None: 0, False: 1, True: 2}


def plan_of(world: World, *, shape: str = RECTANGLE, method: str | None = None, **more: Any) -> RegionPlan:
    """The plan of what a world asks for; rows have a number that breaks ties."""
    options = world.settings
    chosen, stations = method_of(
        method, shape, world.n_dims, options["missing"], has_places=options["places"] is not None
    )  # fmt: skip
    limits = {name: options[name] for name in ("min_duration", "min_extent", "min_times", "min_places", "max_step")}
    reading = {name: options[name] for name in ("missing", "max_missing", "open_on", "max_gap")}
    listed = None if options["places"] is None else Listed(np.array(options["places"], np.float64))
    return RegionPlan(
        clock=CLOCK,
        keys=KEYS,
        ts_type=pa.int64(),
        columns=(pa.int64(), *(pa.float64(),) * world.n_dims, pa.int8()),
        space=("x", "y")[: world.n_dims],
        place_types=(pa.float64(),) * world.n_dims,
        n_ties=1,
        shape=shape,
        method=chosen,
        limits=limits_of(CLOCK, world.n_dims, **limits),
        reading=reading_of(CLOCK, stations=stations, **reading),
        listed=listed,
        may_miss=stations or any(raw.state is None for reports in world.raw for raw in reports),
        **more,
    )


def density_plan(swarm: Swarm) -> RegionPlan:
    """The plan of a search for dense regions."""
    settings = dict(swarm.settings)
    duration = settings.pop("min_duration")
    return RegionPlan(
        clock=CLOCK,
        keys=KEYS,
        ts_type=pa.int64(),
        columns=(pa.int64(), *(pa.float64(),) * swarm.n_dims),
        space=("x", "y")[: swarm.n_dims],
        place_types=(pa.float64(),) * swarm.n_dims,
        n_ties=1,
        shape=DENSITY,
        limits=Limits(duration or 0),
        density=density_of(CLOCK, swarm.n_dims, **settings),
    )


def rows_of(world: World) -> list[dict[str, Any]]:
    """The rows of all groups, which are called 0, 1, ..."""
    return [
        {"key": str(group), "ts": raw.ts, "x": [number, *raw.place, STATES[raw.state]]}
        for group, reports in enumerate(world.raw)
        for number, raw in enumerate(reports)
    ]


def points_of(swarm: Swarm) -> list[dict[str, Any]]:
    """The points of all groups, which are called 0, 1, ..."""
    return [
        {"key": str(group), "ts": ts, "x": [number, *place]}
        for group, points in enumerate(swarm.raw)
        for number, (ts, place) in enumerate(points)
    ]


def emitted(rows: list[dict[str, Any]], n_dims: int) -> list[tuple[Any, ...]]:
    """Regions as the reference has them, without ids, sorted."""
    ends = [""] if n_dims == 1 else ["_x", "_y"]
    return sorted(
        (
            int(row["key"]),
            row["frame_start"],
            row["frame_end"],
            tuple(row[f"frame_low{end}"] for end in ends),
            tuple(row[f"frame_high{end}"] for end in ends),
            row["frame_rows"],
            row["frame_places"],
            row.get("frame_imputed", 0),
            row["frame_closed_by"],
        )
        for row in rows
    )


def reference(regions: list[list[Any]]) -> list[tuple[Any, ...]]:
    """What the reference found in each group, sorted."""
    return sorted(
        (group, r.start, r.end, r.low, r.high, r.rows, r.places, getattr(r, "imputed", 0), r.closed_by)
        for group, found in enumerate(regions)
        for r in found
    )
