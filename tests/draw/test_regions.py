"""Pictures of regions: cells or points by time and place, what is outlined, and maps."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from streamframes.draw import RegionColours
from streamframes.draw.mesh import mesh_of
from streamframes.draw.regions import MAX_REGIONS
from streamframes.errors import InvalidArgument
from tests.draw.worlds import PICTURES, boxes, footprints, grid, legend, places

START = datetime(2026, 1, 5, 8, tzinfo=UTC)
draw, draw_map = PICTURES["regions"], PICTURES["map"]


def cells(figure):
    return figure.axes[0].collections[0].get_array().tolist()


def rings(figure):
    """The outlines; their pale edges are the same."""
    edges, lines = figure.axes[0].collections[1:]
    found = [path.vertices.tolist() for path in lines.get_paths()]
    assert found == [path.vertices.tolist() for path in edges.get_paths()]
    return found


def test_reports_are_cells_between_neighbouring_places_and_instants():
    figure = draw(grid(3), colours=RegionColours(label="speed (mph)"), space_label="milepost")
    assert cells(figure) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert figure.axes[0].get_ylim() == (0.5, 5.0)
    assert figure.axes[0].get_xlim() == (-0.5, 2.5)
    assert [figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()] == ["t", "milepost"]
    assert figure.axes[1].get_ylabel() == "speed (mph)"
    assert legend(figure) == []


def test_a_cell_without_a_report_is_empty_and_the_legend_says_so():
    rows = grid(3).filter(pa.array([True] * 4 + [False] + [True] * 4))
    assert cells(draw(rows))[1] == [1, None, 7]
    assert legend(draw(rows)) == ["no report"]
    without = rows.set_column(2, "v", pa.array([None, *rows["v"].to_pylist()[1:]]))
    assert cells(draw(without))[0] == [None, 3, 6]


def test_an_outline_goes_around_the_cells_of_its_box():
    figure = draw(grid(), boxes((1, 3, 2.0, 4.0)))
    assert rings(figure) == [[[0.5, 1.5], [3.5, 1.5], [3.5, 5.0], [0.5, 5.0], [0.5, 1.5]]]
    assert legend(figure) == ["region"]


def test_an_outline_in_wkt_is_the_shape_of_its_region():
    shape = "MULTIPOLYGON (((1 2, 3 2, 3 4, 1 2)), ((4 1, 5 1, 5 2, 4 1)))"
    figure = draw(grid(), boxes((1, 5, 1.0, 4.0), (0, 0, 1.0, 1.0), frame_outline=[shape, None]))
    first, second, box = rings(figure)
    assert (first, second[0]) == ([[1, 2], [3, 2], [3, 4], [1, 2]], [4, 1])
    assert box[0] == [-0.5, 0.5]


def test_points_are_drawn_where_they_are():
    random = np.random.default_rng(1)
    rows = pa.table({"t": random.random(500), "m": random.random(500), "v": random.random(500)})
    figure = draw(rows, boxes((0.2, 0.4, 0.1, 0.3)))
    assert figure.axes[0].collections[0].get_offsets().shape == (500, 2)
    assert rings(figure)[0][0] == [0.2, 0.1]


def test_very_many_points_become_cells():
    random = np.random.default_rng(1)
    at, place = random.random((2, 40_000))
    mesh = mesh_of(at, place, np.ones(at.size))
    assert mesh is not None
    assert mesh.cells.shape == (41, 123)
    assert mesh_of(at[:100], place[:100], place[:100]) is None


def test_very_many_reports_are_averaged_to_as_many_cells_as_can_be_seen():
    began = time.monotonic()
    figure = draw(grid(10_000, np.arange(100.0)))
    shape = np.shape(figure.axes[0].collections[0].get_array())
    assert shape == (100, 1601)
    assert time.monotonic() - began < 10


def test_times_are_dates_and_levels_are_marked_beside_the_colours():
    rows = grid().set_column(0, "t", pa.array([START + timedelta(minutes=n // 3) for n in range(18)]))
    second = START.timestamp()
    shape = [f"POLYGON (({second} 1, {second} 4))"]
    found = boxes((START, START + timedelta(minutes=1), 1.0, 4.0), frame_outline=shape)
    figure = draw(rows, found, colours=RegionColours(levels=[4.5]))
    assert figure.axes[0].get_xlabel() == "t (UTC), 2026-01-05"
    assert [text.get_text() for text in figure.axes[1].texts] == ["4.5"]
    assert rings(figure)[0][0] == [START.timestamp() / 86_400, 1.0]


def test_high_values_can_be_the_bad_ones():
    low, high = (draw(grid(), colours=worst).axes[0].collections[0].cmap(0.0) for worst in ("low", "high"))
    assert low != high


def test_only_the_largest_of_too_many_regions_are_drawn():
    edges = [(0, 1, 1.0, 2.0)] * MAX_REGIONS + [(0, 5, 1.0, 4.0)]
    figure = draw(grid(), boxes(*edges))
    assert len(rings(figure)) == MAX_REGIONS
    assert [-0.5, 5.0] in rings(figure)[-1]


def test_a_map_shows_the_outlines_of_what_is_no_box():
    shape = "POLYGON ((0 0, 4 0, 4 4, 2 4, 2 2, 0 2, 0 0))"
    figure = draw_map(places(2), footprints((0, 1, 0.0, 4.0, 0.0, 4.0), frame_outline=[shape]))
    assert figure.axes[0].collections[0].get_paths()[0].vertices[4].tolist() == [2, 2]


@pytest.mark.parametrize(("map_by", "shades"), [("start", [1, 0]), ("duration", [8, 2])])
def test_two_dimensions_are_a_map_and_short_regions_lie_on_top(map_by, shades):
    figure = draw_map(colours=RegionColours(map_by=map_by), space_label=["x (feet)", "y (feet)"])
    axes, key = figure.axes
    assert [axes.get_xlabel(), axes.get_ylabel(), key.get_ylabel()] == ["x (feet)", "y (feet)", map_by]
    drawn = axes.collections[0]
    assert drawn.get_array().tolist() == shades
    assert drawn.get_paths()[1].vertices[:3].tolist() == [[1, 1], [3, 1], [3, 2]]
    assert legend(figure) == ["report", "region"]


def test_colours_of_no_kind_are_refused():
    with pytest.raises(InvalidArgument, match="got map_by='red'; it must be one of 'start', 'duration'"):
        RegionColours(map_by="red")
