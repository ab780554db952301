from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.data import freeway
from tests.data.brute import threshold_frames


def slow_stretches(made, below=40, minutes=3):
    good = made.table
    if "status" in good.column_names:
        good = good.filter(pc.equal(good["status"], "ok"))
    return threshold_frames(
        good,
        lambda row: row["speed"] < below,
        lambda start, end, _: end - start >= timedelta(minutes=minutes),
        ts="ts",
        by=("highway", "station"),
    )


@pytest.mark.parametrize(
    ("stations", "hours", "options"),
    [
        (12, 24, {"seed": 0}),
        (5, 48, {"seed": 1, "shape": "wedge"}),
        (13, 10, {"seed": 2, "highways": 2}),
        (13, 24, {"seed": 3, "missing": 0.1}),
        (13, 24, {"seed": 4, "missing": 0.9, "shape": "wedge"}),
        (1, 24, {"seed": 5, "missing": 0.5}),
        (13, 24, {"seed": 6, "bad": 0.2}),
        (5, 24, {"seed": 7, "bad": 0.3, "missing": 0.4, "shape": "wedge"}),
    ],
)
def test_the_episodes_are_what_brute_force_finds(stations, hours, options):
    made = freeway(stations=stations, hours=hours, **options)
    assert made.episodes.to_pylist() == slow_stretches(made)
    assert made.episodes.num_rows
    assert made.table.num_rows == made.num_rows


def grid(made):
    """Speeds as times x mileposts, for one highway without missing reports."""
    posts = sorted(set(made.table["milepost"].to_pylist()))
    return made.table["speed"].to_numpy().reshape(-1, len(posts)), posts


def test_a_box_is_slow_throughout_and_free_all_around():
    made = freeway(stations=150, hours=48, seed=6)
    speed, posts = grid(made)
    first = made.table["ts"][0].as_py()
    assert made.regions.num_rows > 50
    for region in made.regions.to_pylist():
        start, end = ((region[edge] - first) // timedelta(seconds=20) for edge in ("frame_start", "frame_end"))
        low, high = posts.index(region["frame_low"]), posts.index(region["frame_high"])
        inside = speed[start : end + 1, low : high + 1]
        assert (inside < 40).all()
        assert inside.size == region["frame_rows"]
        assert (inside < 20).all() == region["frame_heavy"]
        assert region["frame_heavy"] or (inside >= 20).all()
        around = speed[max(0, start - 1) : end + 2, max(0, low - 1) : high + 2]
        assert (around < 40).sum() == inside.size


def test_every_slow_report_of_three_minutes_lies_in_a_region():
    made = freeway(stations=24, hours=24, seed=7)
    in_regions = pc.sum(made.regions["frame_rows"]).as_py()
    assert in_regions == sum(stretch["frame_rows"] for stretch in slow_stretches(made))


def test_a_wedge_grows_upstream_and_dissolves():
    made = freeway(stations=12, hours=72, seed=8, shape="wedge")
    speed, posts = grid(made)
    first = made.table["ts"][0].as_py()
    shrinks = 0
    for region in made.regions.to_pylist():
        start, end = ((region[edge] - first) // timedelta(seconds=20) for edge in ("frame_start", "frame_end"))
        low, high = posts.index(region["frame_low"]), posts.index(region["frame_high"])
        slow = (speed[start : end + 1, low : high + 1] < 40).sum(axis=0)
        assert slow[-1] == end - start + 1
        assert (np.diff(slow) >= 0).all()
        assert slow[0] >= 1
        assert slow.sum() == region["frame_rows"]
        shrinks += slow[0] < slow[-1]
    assert shrinks


def test_free_traffic_never_comes_near_the_threshold():
    speed = freeway(stations=24, hours=24, seed=9).table["speed"].to_numpy()
    assert not ((speed > 37.5) & (speed < 50)).any()
    assert speed.min() >= 5


def test_nights_are_quiet_and_rush_hours_are_not():
    made = freeway(stations=10, hours=48, seed=10)
    hour = pc.hour(made.table["ts"]).to_numpy()
    volume, occupancy = made.table["volume"].to_numpy(), made.table["occupancy"].to_numpy()
    night, rush = (hour >= 1) & (hour < 5), (hour >= 16) & (hour < 18)
    assert volume[night].mean() < 2
    assert volume[rush].mean() > 4 * volume[night].mean()
    assert occupancy[rush].mean() > 4 * occupancy[night].mean()
    assert occupancy.min() >= 0
    assert occupancy.max() <= 100


def test_jams_prefer_the_rush_hours():
    starts = freeway(stations=100, hours=24 * 7, seed=11).regions["frame_start"]
    hour = pc.hour(starts).to_numpy()
    assert ((hour >= 6) & (hour < 20)).mean() > 0.9


def test_congestion_raises_occupancy():
    table = freeway(stations=12, hours=24, seed=12).table
    slow = pc.less(table["speed"], 20).to_numpy()
    occupancy = table["occupancy"].to_numpy()
    assert occupancy[slow].mean() > 2 * occupancy[~slow].mean()


def test_missing_reports_are_about_as_many_as_were_given_and_leave_the_others_alone():
    all_reports = freeway(stations=10, hours=24, seed=13).table
    some = freeway(stations=10, hours=24, seed=13, missing=0.25).table
    assert abs(1 - some.num_rows / all_reports.num_rows - 0.25) < 0.01
    assert set(zip(*some.select(["station", "ts", "speed"]).to_pydict().values(), strict=True)) < set(
        zip(*all_reports.select(["station", "ts", "speed"]).to_pydict().values(), strict=True)
    )


def test_the_reports_at_the_edges_of_an_episode_are_never_missing():
    made = freeway(stations=20, hours=23, seed=15, missing=0.8)
    there = set(zip(made.table["station"].to_pylist(), made.table["ts"].to_pylist(), strict=True))
    tick = timedelta(seconds=20)
    assert made.episodes.num_rows > 20
    for episode in made.episodes.to_pylist():
        start, end = episode["frame_start"], episode["frame_end"]
        after = [end + tick] if episode["frame_closed_by"] == "condition" else []
        assert {(episode["station"], instant) for instant in (start - tick, start, end, *after)} <= there


def test_bad_reports_say_so_and_are_zero_and_leave_the_others_alone():
    table = freeway(stations=10, hours=24, seed=13, bad=0.1).table
    bad = pc.equal(table["status"], "bad")
    assert abs(pc.mean(bad.cast(pa.int8())).as_py() - 0.1) < 0.01
    for name in ("speed", "volume", "occupancy"):
        assert set(table.filter(bad)[name].to_pylist()) == {0}
    good = table.filter(pc.invert(bad)).drop_columns("status")
    everything = freeway(stations=10, hours=24, seed=13).table
    assert good.equals(everything.filter(pc.invert(bad)))


def test_regions_count_the_reports_that_are_neither_missing_nor_bad():
    made = freeway(stations=14, hours=24, seed=16, bad=0.2, missing=0.2)
    table = made.table.filter(pc.equal(made.table["status"], "ok"))
    assert made.regions.num_rows
    for region in made.regions.to_pylist():
        edges = [("ts", "frame_start", "frame_end"), ("milepost", "frame_low", "frame_high")]
        inside = [
            pc.and_(pc.greater_equal(table[name], region[low]), pc.less_equal(table[name], region[high]))
            for name, low, high in edges
        ]
        rows = table.filter(pc.and_(*inside))
        assert rows.num_rows == region["frame_rows"]
        assert pc.max(rows["speed"]).as_py() < 40


def test_rows_are_in_time_order_with_rising_mileposts():
    table = freeway(stations=7, hours=2, highways=2, seed=14).table
    assert table.schema.names == ["highway", "station", "milepost", "ts", "speed", "volume", "occupancy"]
    assert (np.diff(table["ts"].cast(pa.int64()).to_numpy()) >= 0).all()
    assert table.slice(0, 14)["station"].to_pylist() == list(range(1, 15))
    assert (np.diff(table.slice(0, 7)["milepost"].to_numpy()) >= 0.29).all()
    assert set(table["highway"].to_pylist()) == {"I-5 N", "I-15 N"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"stations": 0}, "stations=0"),
        ({"hours": 0}, "hours=0"),
        ({"hours": 1.5}, "hours=1.5"),
        ({"highways": -1}, "highways=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"missing": 1}, "missing=1; it must be a number from 0 up to, not including, 1"),
        ({"missing": -0.1}, "missing=-0.1"),
        ({"missing": float("nan")}, "missing=nan"),
        ({"missing": "some"}, "missing='some'"),
        ({"bad": 1}, "bad=1; it must be a number from 0 up to, not including, 1"),
        ({"shape": "blob"}, "shape='blob'; it must be one of 'box', 'wedge'"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"freeway\(\) got {message}"):
        freeway(**arguments)
