from collections import Counter
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest

from streamframes.data import building


def crowds(made):
    """How many people are in each floor, minute and cell of 10 feet."""
    rows = zip(*(made.table[name].to_pylist() for name in ("floor", "ts", "x", "y")), strict=True)
    return Counter((floor, at.replace(second=0), int(x // 10), int(y // 10)) for floor, at, x, y in rows)


def cells(gathering):
    """The minutes and cells of a gathering."""
    minutes = (gathering["frame_end"] - gathering["frame_start"]) // timedelta(minutes=1)
    return {
        (gathering["floor"], gathering["frame_start"] + timedelta(minutes=minute), x, y)
        for minute in range(minutes)
        for x in range(int(gathering["frame_low_x"]) // 10, int(gathering["frame_high_x"]) // 10)
        for y in range(int(gathering["frame_low_y"]) // 10, int(gathering["frame_high_y"]) // 10)
    }


@pytest.mark.parametrize(("people", "seed"), [(40, 0), (60, 1), (133, 2)])
def test_the_cells_of_gatherings_are_full_and_all_others_nearly_empty(people, seed):
    made = building(floors=3, hours=8, people=people, seed=seed)
    crowded = {cell for cell, number in crowds(made).items() if number >= 5}
    lasting = set().union(*map(cells, made.episodes.to_pylist()))
    assert made.episodes.num_rows > 5
    assert lasting <= crowded
    assert {number for cell, number in crowds(made).items() if cell not in crowded} <= {1, 2}
    # The others gather for less than five minutes.
    short = Counter((floor, x, y) for floor, _, x, y in crowded - lasting)
    assert len(crowded - lasting) < len(lasting)
    assert short


def test_a_gathering_has_the_people_that_it_says():
    made = building(floors=1, hours=8, seed=3)
    counted = crowds(made)
    for gathering in made.episodes.to_pylist():
        minutes = Counter()
        for cell in cells(gathering):
            minutes[cell[1]] += counted[cell]
        # Those at the desks there, and those who walk by, are there too.
        assert gathering["people"] <= min(minutes.values()) <= gathering["people"] + 8
        assert 20 <= gathering["people"] <= 40
        assert gathering["frame_end"] - gathering["frame_start"] >= timedelta(minutes=5)


def test_everybody_is_seen_once_a_minute_and_in_the_building():
    made = building(floors=2, hours=2, people=45, seed=4)
    table = made.table
    seen = Counter(zip(table["floor"].to_pylist(), table["person"].to_pylist(), strict=True))
    assert set(seen.values()) == {120}
    assert len(seen) == 90
    assert 0 <= min(table["x"].to_pylist()) < max(table["x"].to_pylist()) < 120
    assert min(table["y"].to_pylist()) >= 0
    assert (np.diff(table["ts"].cast(pa.int64()).to_numpy()) >= 0).all()
    assert repr(made) == f"<building: 10,800 rows, {made.episodes.num_rows} gatherings; ts=ts, by=floor>"


def test_a_slice_is_the_same_wherever_it_is_cut():
    made = building(floors=2, hours=3, seed=5)
    parts = made.tables["rows"]
    cut = [parts.make(0, low, min(low + 7, parts.span)) for low in range(0, parts.span, 7)]
    assert pa.concat_tables(cut).equals(made.table)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"floors": 0}, "floors=0"),
        ({"hours": 0}, "hours=0"),
        ({"people": 39}, "people=39; it must be a whole number of at least 40"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"building\(\) got {message}"):
        building(**arguments)
