from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.data import routers
from tests.data.brute import threshold_frames

TWO_MINUTES = timedelta(minutes=2)


@pytest.mark.parametrize(
    ("rows", "groups", "seed", "options"),
    [
        (20_000, 10, 0, {}),
        (20_003, 7, 1, {"calm": 5, "longest": 9}),
        (3_000, 1, 2, {"calm": 1, "longest": 400}),
        (2_000, 150, 3, {"calm": 3}),
        (5, 9, 4, {}),
    ],
)
def test_the_episodes_are_what_brute_force_finds(rows, groups, seed, options):
    made = routers(rows=rows, routers=groups, seed=seed, **options)
    found = threshold_frames(
        made.table,
        lambda row: row["drop_pct"] > 0.3,
        lambda start, end, _: end - start >= TWO_MINUTES,
        ts="rpt_time",
        by=("router",),
    )
    assert made.episodes.to_pylist() == found
    assert found or rows == 5


def test_there_are_long_episodes_short_spikes_and_an_episode_that_is_still_open():
    made = routers(rows=50_000, routers=50, seed=5, calm=60)
    runs = threshold_frames(
        made.table, lambda row: row["drop_pct"] > 0.3, lambda *_: True, ts="rpt_time", by=("router",)
    )
    lengths = {run["frame_rows"] for run in runs}
    assert {1, 6, 7} < lengths
    assert max(lengths) > 60
    assert set(made.episodes["frame_closed_by"].to_pylist()) == {"condition", "end of data"}


def test_calm_reports_stay_well_below_the_threshold_and_lossy_ones_above():
    drop = routers(rows=50_000, seed=6).table["drop_pct"].to_numpy()
    assert drop.min() >= 0.05
    assert not ((drop > 0.25) & (drop < 0.32)).any()
    assert drop.max() > 1


def test_every_router_reports_every_twenty_seconds_and_rows_are_in_time_order():
    table = routers(rows=1_003, routers=10, seed=7).table
    assert table.num_rows == 1_003
    instants = table["rpt_time"].cast(pa.int64()).to_numpy()
    assert (np.diff(instants) >= 0).all()
    for router in table["router"].unique():
        own = instants[pc.equal(table["router"], router).to_numpy()]
        assert set(np.diff(own)) == {20_000_000}
        assert len(own) in (100, 101)


def test_columns_have_the_promised_types_and_sizes_make_sense():
    table = routers(rows=1_000).table
    assert table.schema == pa.schema(
        {
            "router": pa.string(),
            "rpt_time": pa.timestamp("us", "UTC"),
            "total_pkts": pa.int64(),
            "pkt_bytes": pa.int64(),
            "drop_pct": pa.float64(),
        }
    )
    per_packet = table["pkt_bytes"].to_numpy() / table["total_pkts"].to_numpy()
    assert per_packet.min() >= 499
    assert per_packet.max() <= 900


def test_commands_are_denser_before_and_during_episodes():
    made = routers(rows=30_000, routers=3, seed=8)
    sent = made.commands
    assert sent.column_names == ["router", "sent_at", "command"]
    instants = sent["sent_at"].cast(pa.int64()).to_numpy()
    assert (np.diff(instants) >= 0).all()
    routers_sent = np.array(sent["router"].to_pylist())
    inside = seconds_inside = 0
    for episode in made.episodes.to_pylist():
        start, end = ((episode[edge].timestamp()) * 1e6 for edge in ("frame_start", "frame_end"))
        start -= 120e6
        inside += ((routers_sent == episode["router"]) & (instants >= start) & (instants <= end)).sum()
        seconds_inside += (end - start) / 1e6
    outside = (len(instants) - inside) / (20 * 30_000 - seconds_inside)
    assert inside / seconds_inside > 10 * outside


def test_parts_do_not_depend_on_each_other():
    made = routers(rows=600_000, routers=3, seed=9)
    parts = made.tables["rows"]
    assert parts.span > 2 * parts.step
    alone = parts.make(1, parts.step, 2 * parts.step)
    assert alone.equals(made.table.slice(3 * parts.step, 3 * parts.step).combine_chunks())


def test_episodes_cross_the_parts():
    made = routers(rows=600_000, routers=3, seed=10, calm=50, longest=180)
    high = pc.greater(made.table["drop_pct"], 0.3).to_numpy()
    step = made.tables["rows"].step
    edges = [(3 * step * n - 3 + r, 3 * step * n + r) for n in (1, 2) for r in range(3)]
    assert any(high[before] and high[after] for before, after in edges)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, r"routers\(\) got rows=0; it must be a whole number of at least 1"),
        ({"rows": -5}, "rows=-5"),
        ({"rows": 1.5}, "rows=1.5"),
        ({"rows": True}, "rows=True"),
        ({"rows": "many"}, "rows='many'"),
        ({"routers": 0}, "routers=0"),
        ({"seed": -1}, "seed=-1; it must be a whole number of at least 0"),
        ({"calm": 0}, "calm=0"),
        ({"longest": 6}, "longest=6; it must be a whole number of at least 7"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        routers(**arguments)
