"""The log of a call centre: its rows, their order and their parts."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.data import calls, figure_call


def test_rows_are_mixed_in_the_order_of_time_and_counted():
    table = calls(3_000, 40, seed=10).table
    assert table["seq"].to_pylist() == list(range(1, table.num_rows + 1))
    instants = table["ts"].cast(pa.int64()).to_numpy()
    assert (np.diff(instants) >= 0).all()
    assert not (instants % 1_000_000).any()
    assert (np.diff(instants) == 0).mean() > 0.1
    channel = table["channel"].to_numpy()
    assert set(channel) == set(range(40))
    assert (np.diff(channel) != 0).mean() > 0.5


def test_words_of_att_occur_outside_of_it_too():
    made = calls(2_000, seed=11)
    rows = made.table.to_pylist()
    assert any(row["expression"] == "ATT" and row["event_type"] != 500 for row in rows)
    assert any(row["expression"] == "FAQ" and row["step_num"] != 342 for row in rows)
    assert any(row["expression"] == "#" and row["step_num"] == 348 for row in rows)
    assert {row["expression"] for row in rows if row["step_num"] == 41} == {"ATT", "WEATHER", "NEWS", "SPORTS"}


def test_a_caller_has_one_number_and_questions_follow_their_category():
    rows = calls(200, 3, seed=12).table.to_pylist()
    ringing, category = {}, {}
    for row in rows:
        channel = row["channel"]
        if row["event_type"] == 107:
            ringing[channel] = row["expression"]
            assert len(row["expression"]) == 10
        elif row["step_num"] == 5:
            assert row["expression"] == ringing[channel]
        elif row["step_num"] == 380:
            category[channel] = int(row["expression"][-1])
        elif row["expression"].startswith("FAQ_Question"):
            assert row["step_num"] == 350 + 2 * category[channel]


@pytest.mark.parametrize("channels", [3, 200, 60_000])
def test_parts_do_not_depend_on_each_other(channels):
    made = calls(30_000, channels, seed=13)
    for name, table in (("rows", made.table), ("episodes", made.episodes), ("calls", made.calls)):
        parts = made.tables[name]
        cuts = [*range(0, parts.span, parts.step), parts.span]
        pieces = [parts.make(part, cuts[part], cuts[part + 1]) for part in reversed(range(len(cuts) - 1))]
        assert pa.concat_tables(pieces[::-1]).equals(table)
        assert len(pieces) > 1 or channels == 60_000
    parts = made.tables["rows"]
    odd = [parts.make(0, low, min(low + 777, parts.span)) for low in range(0, min(parts.span, 7_770), 777)]
    some = pa.concat_tables(odd)
    assert some.equals(made.table.slice(0, some.num_rows))
    assert made.table.num_rows == made.num_rows


def test_the_log_begins_where_start_says():
    usual = calls(20, seed=14)
    later = calls(20, seed=14, start="2026-01-06T01:00:00+01:00")
    assert usual.table["ts"][0].as_py() - datetime(2026, 1, 5, tzinfo=UTC) < timedelta(hours=1)
    for name in ("table", "episodes", "calls"):
        mine, other = getattr(usual, name), getattr(later, name)
        for column in mine.schema.names:
            if pa.types.is_timestamp(mine[column].type):
                moved = pc.add(mine[column], pa.scalar(timedelta(days=1)))
                assert moved.to_pylist() == other[column].to_pylist()
            else:
                assert mine[column].equals(other[column])
    same = calls(20, seed=14, start=datetime(2026, 1, 6))
    assert same.table.equals(later.table)


def test_a_log_describes_itself():
    made = calls(50, 2, seed=15)
    assert repr(made) == f"<calls: {made.num_rows:,} rows, 50 calls; ts=ts, by=channel>"
    assert list(made.conditions) == ["Call", "ATT", "FAQ"]
    assert made.table.schema == figure_call().schema
