from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.data import freeway, probes
from streamframes.data.freeway.probes import _Traffic


def inside(table, region):
    edges = [("ts", "frame_start", "frame_end"), ("milepost", "frame_low", "frame_high")]
    within = [
        pc.and_(pc.greater_equal(table[name], region[low]), pc.less_equal(table[name], region[high]))
        for name, low, high in edges
    ]
    return table.filter(pc.and_(*within))


def test_the_jams_are_those_of_the_freeway():
    for shape in ("box", "wedge"):
        made, road = (make(stations=24, hours=24, seed=3, shape=shape) for make in (probes, freeway))
        regions = road.regions
        assert made.episodes.drop_columns("frame_rows").equals(regions.drop_columns("frame_rows"))


def test_every_report_in_a_box_is_slow_and_no_other_is_for_long():
    made = probes(800, stations=24, hours=24, seed=3)
    found = [inside(made.table, region) for region in made.episodes.to_pylist()]
    assert [rows.num_rows for rows in found] == made.episodes["frame_rows"].to_pylist()
    assert min(rows.num_rows for rows in found) > 10
    assert all(pc.max(rows["speed"]).as_py() < 40 for rows in found)
    slow = pc.sum(pc.less(made.table["speed"], 40)).as_py()
    # What is left are slowdowns of less than three minutes.
    assert sum(rows.num_rows for rows in found) <= slow < 1.1 * sum(rows.num_rows for rows in found)


def test_a_wedge_slows_some_of_the_reports_around_it():
    made = probes(800, stations=24, hours=24, seed=8, shape="wedge")
    for region in made.episodes.to_pylist():
        rows = inside(made.table, region)
        assert pc.sum(pc.less(rows["speed"], 40)).as_py() == region["frame_rows"]


def test_a_vehicle_moves_as_fast_as_it_says_and_reports_every_20_seconds():
    table = probes(50, stations=12, hours=6, seed=4).table.sort_by([("vehicle", "ascending"), ("ts", "ascending")])
    same = np.diff(table["vehicle"].to_numpy()) == 0
    seconds = np.diff(table["ts"].cast(pa.int64()).to_numpy()) / 1e6
    assert set(seconds[same]) == {20.0}
    miles = np.diff(table["milepost"].to_numpy())
    assert np.allclose(miles[same], table["speed"].to_numpy()[:-1][same] / 180, atol=0.001)
    firsts = table.filter(pa.array(np.concatenate([[True], ~same])))
    assert set(firsts["milepost"].to_pylist()) == {pc.min(table["milepost"]).as_py()}


def test_rows_are_in_time_order_and_within_the_hours():
    made = probes(300, stations=24, hours=5, seed=5)
    at = made.table["ts"]
    assert (np.diff(at.cast(pa.int64()).to_numpy()) >= 0).all()
    assert at[-1].as_py() - at[0].as_py() < timedelta(hours=5)
    assert made.table.schema.names == ["highway", "vehicle", "ts", "milepost", "speed"]
    assert repr(made).startswith(f"<probes: {made.num_rows:,} rows, ")


def test_a_slice_is_the_same_wherever_it_is_cut():
    made = probes(100, stations=12, hours=24, seed=6)
    parts = made.tables["rows"]
    whole = made.table
    cut = [parts.make(0, low, min(low + 1_000, parts.span)) for low in range(0, parts.span, 1_000)]
    assert pa.concat_tables(cut).equals(whole)
    assert isinstance(parts.make.__self__, _Traffic)


def test_a_single_station_is_passed_once():
    made = probes(20, stations=1, hours=1, seed=1)
    assert made.num_rows == made.table.num_rows == 20


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"vehicles": 0}, "vehicles=0"),
        ({"stations": 0}, "stations=0"),
        ({"hours": 0}, "hours=0"),
        ({"seed": -1}, "seed=-1"),
        ({"shape": "blob"}, "shape='blob'; it must be one of 'box', 'wedge'"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"probes\(\) got {message}"):
        probes(**arguments)
