"""Pictures of regions: cells or points by time and place, and what is outlined."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from streamframes.draw import draw_regions, save_picture
from streamframes.draw.mesh import mesh_of
from streamframes.draw.regions import MAX_REGIONS
from streamframes.errors import InvalidArgument

START = datetime(2026, 1, 5, 8, tzinfo=UTC)


def grid(times=6, places=(1.0, 2.0, 4.0), **columns):
    """One report of each place at each instant; the speed counts them."""
    t, m = np.meshgrid(np.arange(times), np.array(places), indexing="ij")
    return pa.table({"t": t.ravel(), "m": m.ravel(), "v": np.arange(t.size, dtype=float), **columns})


def boxes(*edges, **columns):
    names = ("frame_start", "frame_end", "frame_low", "frame_high")
    return pa.table({name: [edge[n] for edge in edges] for n, name in enumerate(names)} | columns)


def drawn(rows, regions=None, **options):
    return draw_regions(rows, regions, ts="t", space="m", value="v", **options)


def cells(figure):
    return figure.axes[0].collections[0].get_array().tolist()


def rings(figure):
    """The outlines; those of the pale seam are the same."""
    seam, lines = figure.axes[0].collections[1:]
    found = [path.vertices.tolist() for path in lines.get_paths()]
    assert found == [path.vertices.tolist() for path in seam.get_paths()]
    return found


def legend(figure):
    return [text.get_text() for each in figure.legends for text in each.get_texts()]


def test_reports_are_cells_between_neighbouring_places_and_instants():
    figure = drawn(grid(3), label="speed (mph)", space_label="milepost")
    assert cells(figure) == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    assert figure.axes[0].get_ylim() == (0.5, 5.0)
    assert figure.axes[0].get_xlim() == (-0.5, 2.5)
    assert [figure.axes[0].get_xlabel(), figure.axes[0].get_ylabel()] == ["t", "milepost"]
    assert figure.axes[1].get_ylabel() == "speed (mph)"
    assert legend(figure) == []


def test_a_cell_without_a_report_is_empty_and_the_legend_says_so():
    rows = grid(3).filter(pa.array([True] * 4 + [False] + [True] * 4))
    assert cells(drawn(rows))[1] == [1, None, 7]
    assert legend(drawn(rows)) == ["no report"]
    silent = rows.set_column(2, "v", pa.array([None, *rows["v"].to_pylist()[1:]]))
    assert cells(drawn(silent))[0] == [None, 3, 6]


def test_an_outline_goes_around_the_cells_of_its_box():
    figure = drawn(grid(), boxes((1, 3, 2.0, 4.0)))
    assert rings(figure) == [[[0.5, 1.5], [3.5, 1.5], [3.5, 5.0], [0.5, 5.0], [0.5, 1.5]]]
    assert legend(figure) == ["region"]
    assert figure.axes[0].get_title(loc="left") == "1 region"


def test_an_outline_in_wkt_is_the_shape_of_its_region():
    shape = "MULTIPOLYGON (((1 2, 3 2, 3 4, 1 2)), ((4 1, 5 1, 5 2, 4 1)))"
    figure = drawn(grid(), boxes((1, 5, 1.0, 4.0), (0, 0, 1.0, 1.0), frame_outline=[shape, None]))
    first, second, box = rings(figure)
    assert (first, second[0]) == ([[1, 2], [3, 2], [3, 4], [1, 2]], [4, 1])
    assert box[0] == [-0.5, 0.5]


def test_points_are_drawn_where_they_are():
    random = np.random.default_rng(1)
    rows = pa.table({"t": random.random(500), "m": random.random(500), "v": random.random(500)})
    figure = drawn(rows, boxes((0.2, 0.4, 0.1, 0.3)))
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
    rows = grid(10_000, np.arange(100.0))
    figure = drawn(rows)
    shape = np.shape(figure.axes[0].collections[0].get_array())
    assert shape == (100, 1601)
    assert time.monotonic() - began < 10


def test_times_are_dates_and_levels_are_marked_beside_the_colours(tmp_path):
    rows = grid().set_column(0, "t", pa.array([START + timedelta(minutes=n // 3) for n in range(18)]))
    second = START.timestamp()
    found = boxes(
        (START, START + timedelta(minutes=1), 1.0, 4.0), frame_outline=[f"POLYGON (({second} 1, {second} 4))"]
    )
    figure = drawn(rows, found, levels=[4.5])
    assert figure.axes[0].get_xlabel() == "t (UTC), 2026-01-05"
    assert [text.get_text() for text in figure.axes[1].texts] == ["4.5"]
    assert rings(figure)[0][0] == [START.timestamp() / 86_400, 1.0]
    for ending in ("png", "svg", "html"):
        path = save_picture(figure, tmp_path / f"a.{ending}", frames=found, title="Jams", what="regions")
        assert path.stat().st_size > 1_000
    assert "1 regions" in (tmp_path / "a.html").read_text()


def test_high_values_can_be_the_bad_ones():
    low, high = (drawn(grid(), worst=worst).axes[0].collections[0].cmap(0.0) for worst in ("low", "high"))
    assert low != high


def test_only_the_largest_of_too_many_regions_are_drawn():
    edges = [(0, 1, 1.0, 2.0)] * MAX_REGIONS + [(0, 5, 1.0, 4.0)]
    figure = drawn(grid(), boxes(*edges))
    assert len(rings(figure)) == MAX_REGIONS
    assert [-0.5, 5.0] in rings(figure)[-1]
    assert figure.axes[0].get_title(loc="left") == f"the largest {MAX_REGIONS:,} of {MAX_REGIONS + 1:,} regions"
    assert drawn(grid(), boxes(*edges[:2]), total=7).axes[0].get_title(loc="left") == "the largest 2 of 7 regions"


def test_pandas_nothing_and_a_single_report_can_be_drawn(tmp_path):
    none = boxes((0, 1, 1.0, 2.0)).slice(0, 0)
    for number, rows in enumerate((grid().to_pandas(), grid().slice(0, 0), grid().slice(0, 1))):
        figure = drawn(rows, none, title="Nothing")
        assert save_picture(figure, tmp_path / f"{number}.png").stat().st_size > 1_000
        assert figure.axes[0].get_title(loc="left") == "0 regions"


def footprints(**options):
    rows = pa.table({"t": [0, 1, 2], "x": [0.0, 5.0, 9.0], "y": [1.0, 2.0, 3.0]})
    names = ("frame_start", "frame_end", "frame_low_x", "frame_high_x", "frame_low_y", "frame_high_y")
    edges = [(0, 2, 1.0, 3.0, 1.0, 2.0), (1, 9, 4.0, 6.0, 0.0, 2.0)]
    regions = pa.table({name: [edge[n] for edge in edges] for n, name in enumerate(names)})
    return draw_regions(rows, regions, ts="t", space=["x", "y"], **options)


def test_a_map_shows_the_outlines_of_what_is_no_box():
    rows = pa.table({"t": [0, 1], "x": [0.0, 5.0], "y": [1.0, 2.0]})
    edges = {"frame_low_x": [0.0], "frame_high_x": [4.0], "frame_low_y": [0.0], "frame_high_y": [4.0]}
    shape = "POLYGON ((0 0, 4 0, 4 4, 2 4, 2 2, 0 2, 0 0))"
    regions = pa.table({"frame_start": [0], "frame_end": [1], **edges, "frame_outline": [shape]})
    figure = draw_regions(rows, regions, ts="t", space=["x", "y"])
    assert figure.axes[0].collections[0].get_paths()[0].vertices[4].tolist() == [2, 2]


@pytest.mark.parametrize(("colour", "shades"), [("start", [1, 0]), ("duration", [8, 2])])
def test_two_dimensions_are_a_map_and_short_regions_lie_on_top(colour, shades):
    figure = footprints(colour=colour, space_label=["x (feet)", "y (feet)"])
    axes, key = figure.axes
    assert [axes.get_xlabel(), axes.get_ylabel(), key.get_ylabel()] == ["x (feet)", "y (feet)", colour]
    drawn = axes.collections[0]
    assert drawn.get_array().tolist() == shades
    assert drawn.get_paths()[1].vertices[:3].tolist() == [[1, 1], [3, 1], [3, 2]]
    assert legend(figure) == ["report", "region"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"value": None}, "a picture of regions got no value; name the column that colours the reports"),
        ({"value": "w"}, "got value='w', which is not a column; the columns are t, m, v"),
        ({"space": "w"}, "got space='w', which is not a column"),
        ({"space": ["t", "m", "v"]}, "draw one or two"),
        ({"space_label": ["a", "b"]}, "draw one or two"),
        ({"worst": "red"}, "got worst='red'; it must be one of 'low', 'high'"),
        ({"colour": "red"}, "got colour='red'; it must be one of 'start', 'duration'"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_remedy(options, message):
    with pytest.raises(InvalidArgument, match=message):
        draw_regions(grid(), None, **{"ts": "t", "space": "m", "value": "v"} | options)


def test_regions_without_an_edge_are_refused():
    with pytest.raises(InvalidArgument, match="got regions='frame_low', which is not a column"):
        drawn(grid(), boxes((0, 1, 1.0, 2.0)).drop_columns("frame_low"))
