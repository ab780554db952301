"""Shapes: what components look like, as numbers for each column and as polygons in well-known text.

Places along a line: x is time and y is the place. Places in a plane: the footprint, all that was ever covered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pyarrow as pa
import shapely

from streamframes.core.regions.connected.cells import plane_boxes, run_boxes
from streamframes.core.regions.connected.components import AT, ClosedComponents
from streamframes.core.regions.connected.neighbours import PlaceTable
from streamframes.core.regions.connected.outline import rings_of


def extent_type(names: Sequence[str]) -> pa.DataType:
    """The type of `extents`: of each column its instant in ticks, and the lowest and highest place of each axis."""
    axes = [(f"{end}_{name}" if len(names) > 1 else end) for name in names for end in ("low", "high")]
    return pa.list_(pa.struct([("ts", pa.int64()), *((axis, pa.float64()) for axis in axes)]))


def described(
    table: PlaceTable, step: np.ndarray, closed: ClosedComponents, *, per_unit: float, names: Sequence[str]
) -> dict[str, np.ndarray | pa.Array]:
    """Area, extents, hull and outline of components.

    Parameters
    ----------
    per_unit
        How many ticks make a unit of time: 1,000,000 if outlines are to count seconds and ticks are microseconds.
    names
        One name for each axis of space.
    """
    if not len(closed):
        text = pa.array([], pa.string())
        return {"area": np.empty(0), "extents": pa.array([], extent_type(names)), "hull": text, "outline": text}
    if table.places.shape[1] == 1:
        area, outline = _in_time(table, step, closed, per_unit)
    else:
        area, outline = _in_plane(table, step, closed)
    return {
        "area": area,
        "extents": _extents(table, closed, names),
        "hull": _written(shapely.convex_hull(outline)),
        "outline": _written(outline),
    }


def _written(shapes: np.ndarray) -> pa.Array:
    # As many digits as distinguish a number from all others.
    return pa.array(shapely.to_wkt(shapely.normalize(shapes), rounding_precision=-1), pa.string())


def _extents(table: PlaceTable, closed: ClosedComponents, names: Sequence[str]) -> pa.Array:
    at = closed.columns[:, AT]
    fresh = np.append(True, at[1:] != at[:-1])
    fresh[closed.bounds[:-1]] = True
    first = np.flatnonzero(fresh)
    fields = [pa.array(at[first])]
    for axis in range(len(names)):
        for reduce, end in ((np.minimum, 0), (np.maximum, 1)):
            values = table.places[closed.spans[:, end], axis]
            fields.append(pa.array(reduce.reduceat(values, first)))
    offsets = pa.array(np.searchsorted(first, closed.bounds), pa.int32())
    kind = extent_type(names)
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(fields, fields=list(kind.value_type)), kind)


def _in_time(
    table: PlaceTable, step: np.ndarray, closed: ClosedComponents, per_unit: float
) -> tuple[np.ndarray, np.ndarray]:
    ticks, edges = run_boxes(table, step, closed.columns, closed.spans)
    cells = (ticks[:, 1] - ticks[:, 0]) / (2 * per_unit) * (edges[:, 1] - edges[:, 0])
    area = np.bincount(closed.component_of_run, cells, len(closed))
    of, holes, ring, x, y = rings_of(closed.bounds, ticks, edges)
    # A ring around a component comes before those around its holes.
    order = np.lexsort((holes, of))
    drawn = shapely.linearrings(np.column_stack([x / (2 * per_unit), y]), indices=ring)[order]
    outline = np.empty(len(closed), object)
    parts = np.bincount(of, ~holes, len(closed))
    whole = parts[of[order]] == 1
    shapely.polygons(drawn[whole], indices=of[order][whole], out=outline)
    for part in np.flatnonzero(parts > 1):
        here = of[order] == part
        outline[part] = _in_pieces(drawn[here], holes[order][here])
    return area, outline


def _in_pieces(rings: np.ndarray, holes: np.ndarray) -> shapely.MultiPolygon:
    """A component in pieces, torn where places did not report; a hole is one of the smallest piece around it."""
    pieces = shapely.polygons(rings[~holes])
    within: list[list[shapely.LinearRing]] = [[] for _ in pieces]
    for hole in rings[holes]:
        around = np.flatnonzero(shapely.covers(pieces, shapely.polygons(hole)))
        within[around[np.argmin(shapely.area(pieces[around]))]].append(hole)
    return shapely.multipolygons(
        [shapely.polygons(ring, inner or None) for ring, inner in zip(rings[~holes], within, strict=True)]
    )


def _in_plane(table: PlaceTable, step: np.ndarray, closed: ClosedComponents) -> tuple[np.ndarray, np.ndarray]:
    part, boxes = plane_boxes(table, step, closed.bounds, closed.columns, closed.spans)
    drawn = shapely.box(*boxes.T)
    bounds = np.searchsorted(part, np.arange(len(closed) + 1))
    outline = np.empty(len(closed), object)
    for i, (first, last) in enumerate(pairwise(bounds)):
        outline[i] = drawn[first] if last - first == 1 else shapely.union_all(drawn[first:last])
    # Normal order begins at a corner, so that only points on a straight line go.
    return shapely.area(outline), shapely.simplify(shapely.normalize(outline), 0)
