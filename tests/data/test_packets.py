import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.data import packet_values, packets
from tests.data.brute import threshold_frames


def of_link(table, link, column):
    return table.filter(pc.equal(table["link"], link))[column].cast(pa.int64()).to_numpy()


def lengths_of(values, above=0):
    """How many rows each burst of a series has."""
    edges = np.diff(np.concatenate([[0], values > above, [0]]).astype(np.int64))
    return np.flatnonzero(edges < 0) - np.flatnonzero(edges > 0)


@pytest.mark.parametrize(
    ("rows", "links", "seed", "options"),
    [
        (20_000, 4, 0, {}),
        (20_003, 7, 1, {"calm": 5, "shape": 1.1}),
        (20_000, 1, 2, {"background": 200, "smallest": 3}),
        (2_000, 3_000, 3, {"calm": 1}),
        (5_000, 2_500, 4, {"calm": 1, "rate": 1_000_000}),
        (5, 9, 5, {}),
    ],
)
def test_the_bursts_are_what_brute_force_finds(rows, links, seed, options):
    made = packets(rows=rows, links=links, seed=seed, **options)
    least = 2 * options.get("background", 0)
    assert made.scheme == {"where": f"bytes > {least}", "min_rows": 1}
    found = threshold_frames(made.table, lambda row: row["bytes"] > least, lambda *_: True, ts="ts", by=("link",))
    assert made.episodes.to_pylist() == found
    assert found or rows == 5


def test_columns_have_the_promised_types():
    table = packets(rows=1_000).table
    assert table.schema == pa.schema({"link": pa.string(), "ts": pa.timestamp("us", "UTC"), "bytes": pa.int64()})
    assert set(table["link"].to_pylist()) == {"link-0", "link-1", "link-2", "link-3"}


@pytest.mark.parametrize("options", [{}, {"shape": 3, "smallest": 4, "calm": 50}])
def test_sizes_of_bursts_follow_a_pareto_distribution(options):
    shape, smallest = options.get("shape", 1.5), options.get("smallest", 1)
    lengths = lengths_of(packet_values(3_000_000, seed=1, **options))
    assert lengths.min() == smallest
    # Rounding by chance lifts about half of the sizes between k - 1 and k to k.
    for k in (2, 3, 8, 30):
        expected = (k - 0.5 / smallest) ** -shape
        assert (lengths >= k * smallest).mean() == pytest.approx(expected, rel=0.25, abs=0.002)
    assert np.minimum(lengths, 100).mean() == pytest.approx(shape * smallest / (shape - 1), rel=0.15)


def test_pauses_are_exponential():
    values = packet_values(3_000_000, seed=2, calm=100)
    pauses = lengths_of(-values, above=-1)
    assert pauses.min() >= 1
    assert pauses.mean() == pytest.approx(100, rel=0.03)
    assert pauses.std() == pytest.approx(100, rel=0.05)
    assert (pauses > 200).mean() == pytest.approx(np.exp(-2), rel=0.05)


def test_a_pause_carries_nothing_or_the_background_to_which_bursts_are_added():
    pure, added = (packet_values(200_000, seed=3, background=background) for background in (0, 40))
    assert set(np.unique(pure[pure > 0]) // 500) == {1, 2, 3}
    assert set(np.unique(added - pure)) == set(range(81))
    assert (added - pure).mean() == pytest.approx(40, rel=0.01)


def test_a_single_link_sends_the_values_of_the_array():
    for options in ({}, {"background": 25, "calm": 30}):
        table = packets(600_001, 1, seed=4, **options).table
        assert (table["bytes"].to_numpy() == packet_values(600_001, seed=4, **options)).all()


@pytest.mark.parametrize("rate", [400, 10])
def test_gaps_between_the_rows_of_a_link_are_exponential(rate):
    table = packets(rows=300_000, links=3, seed=5, rate=rate).table
    gaps = np.diff(of_link(table, "link-1", "ts")) * rate / 1e6
    assert gaps.min() > 0
    assert gaps.mean() == pytest.approx(1, rel=0.01)
    assert gaps.std() == pytest.approx(1, rel=0.02)
    assert (gaps > 2).mean() == pytest.approx(np.exp(-2), rel=0.05)


@pytest.mark.parametrize("links", [1, 3, 5_000, 300_000])
def test_rows_are_in_time_order_and_no_link_has_two_in_one_instant(links):
    table = packets(rows=600_001, links=links, seed=6, rate=1_000).table
    assert table.num_rows == 600_001
    instants = table["ts"].cast(pa.int64()).to_numpy()
    assert (np.diff(instants) >= 0).all()
    assert table.group_by(["link", "ts"]).aggregate([]).num_rows == 600_001
    per_link = table.group_by("link").aggregate([([], "count_all")])["count_all"].to_numpy()
    assert per_link.max() - per_link.min() <= 1


def test_parts_do_not_depend_on_each_other():
    made = packets(rows=600_000, links=3, seed=7, background=10)
    parts = made.tables["rows"]
    assert parts.span > 2 * parts.step
    alone = parts.make(1, parts.step, 2 * parts.step)
    assert alone.equals(made.table.slice(3 * parts.step, 3 * parts.step).combine_chunks())


def test_bursts_cross_the_parts():
    made = packets(rows=300_000, links=1, seed=8, calm=1, shape=1.05)
    step = made.tables["rows"].step
    assert (made.table["bytes"].to_numpy()[step - 1 : step + 1] > 0).all()
    assert made.episodes.to_pylist() == threshold_frames(
        made.table, lambda row: row["bytes"] > 0, lambda *_: True, ts="ts", by=("link",)
    )


def test_the_largest_sizes_cost_nothing_until_rows_are_needed():
    made = packets(rows=10**8, links=100)
    parts = made.tables["rows"]
    last = (parts.span - 1) // parts.step
    assert parts.make(last, last * parts.step, parts.span).num_rows > 0
    assert made.tables["episodes"].span > 100_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows=0; it must be a whole number of at least 1"),
        ({"links": 0}, "links=0"),
        ({"seed": -1}, "seed=-1; it must be a whole number of at least 0"),
        ({"shape": 1}, "shape=1; it must be a number greater than 1"),
        ({"shape": float("nan")}, "shape=nan"),
        ({"shape": float("inf")}, "shape=inf"),
        ({"shape": "steep"}, "shape='steep'"),
        ({"smallest": 0.5}, "smallest=0.5"),
        ({"calm": 0}, "calm=0"),
        ({"rate": 1_000_001}, "rate=1000001; it must be a whole number from 1 to 1000000"),
        ({"background": 201}, "background=201; it must be a whole number from 0 to 200"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"packets\(\) got {message}"):
        packets(**arguments)
    if not arguments.keys() & {"links", "rate"}:
        with pytest.raises(ValueError, match=rf"packet_values\(\) got {message}"):
            packet_values(**arguments)
