from datetime import timedelta

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import streamframes as sf
from streamframes.data import pitch

GRID = sf.Boundary({"x": 4.25, "y": 4.2})


def of(table, **values):
    """The rows that have these values, as plain columns."""
    for name, value in values.items():
        table = table.filter(pc.equal(table[name], value))
    return table


def speeds(table, rate):
    return np.hypot(*(np.diff(table[name].to_numpy()) for name in ("x", "y"))) * rate


@pytest.mark.parametrize(("players", "rate", "seed"), [(8, 20, 0), (2, 7, 1), (11, 10, 2)])
def test_the_stays_are_the_boundary_frames_of_the_positions(players, rate, seed):
    made = pitch(2, players=players, rate=rate, seed=seed)
    for half in (1, 2):
        for player in ("A1", "B2"):
            rows = of(made.table, half=half, player=player)
            ticks, x, y = rows["ts"].cast(pa.int64()).to_pylist(), rows["x"].to_pylist(), rows["y"].to_pylist()
            found = [(f.start, f.end, f.rows, f.closed_by, f.cell) for f in sf.frames_of(GRID, ts=ticks, x=x, y=y)]
            stays = of(made.episodes, half=half, player=player)
            edges = (stays[name].cast(pa.int64()).to_pylist() for name in ("frame_start", "frame_end"))
            others = (stays[name].to_pylist() for name in ("frame_rows", "frame_closed_by"))
            cells = zip(stays["cell_x"].to_pylist(), stays["cell_y"].to_pylist(), strict=True)
            assert found == list(zip(*edges, *others, cells, strict=True))
            assert len(found) > 1


def test_every_position_is_in_one_stay_in_a_cell_of_the_pitch():
    made = pitch(2, rate=20, seed=3)
    assert pc.sum(made.episodes["frame_rows"]).as_py() == made.num_rows == 2 * 60 * 20 * 16
    for name, cells in (("cell_x", 16), ("cell_y", 25)):
        assert 1 <= pc.min(made.episodes[name]).as_py() <= pc.max(made.episodes[name]).as_py() <= cells


def test_players_run_as_people_do():
    made = pitch(6, rate=50, seed=4)
    for half in (1, 2):
        for player in ("A2", "A5", "B4", "B8"):
            speed = speeds(of(made.table, half=half, player=player), 50)
            assert speed.max() < 10
            assert 0.8 < speed.mean() < 3.5
            assert np.abs(np.diff(speed)).max() * 50 < 30
    keeper, striker = (speeds(of(made.table, half=1, player=player), 50).mean() for player in ("A1", "A8"))
    assert keeper < striker


def test_somebody_sprints_and_stays_are_neither_all_short_nor_all_long():
    made = pitch(6, rate=50, seed=5)
    fastest = [speeds(of(made.table, half=1, player=f"A{number}"), 50).max() for number in range(2, 9)]
    assert max(fastest) > 7
    seconds = made.episodes["frame_rows"].to_numpy() / 50
    assert np.percentile(seconds, 10) < 0.6
    assert 0.8 < np.median(seconds) < 4
    assert seconds.max() > 8


def test_players_keep_to_their_part_of_the_pitch_and_teams_change_ends():
    made = pitch(4, rate=10, seed=6)
    middle = {
        (half, player): pc.mean(of(made.table, half=half, player=player)["y"]).as_py()
        for half in (1, 2)
        for player in ("A1", "A8", "B1")
    }
    assert middle[1, "A1"] < 15 < 90 < middle[1, "B1"]
    assert middle[2, "B1"] < 15 < 90 < middle[2, "A1"]
    assert middle[1, "A1"] < middle[1, "A8"]
    assert middle[2, "A8"] < middle[2, "A1"]


def test_the_ball_is_passed_on_from_player_to_player():
    made = pitch(4, rate=20, ball_rate=200, seed=7)
    ball = of(made.ball, half=1)
    speed = speeds(ball, 200)
    assert made.ball.num_rows == 4 * 60 * 200
    assert 8 < np.percentile(speed, 95) < 26
    assert speed.max() < 45
    # Somebody is near, most of the time.
    rows = of(made.table, half=1)
    places = np.stack([rows[name].to_numpy().reshape(-1, 16) for name in ("x", "y")], axis=-1)
    at = np.stack([ball[name].to_numpy()[::10] for name in ("x", "y")], axis=-1)
    nearest = np.hypot(*(places - at[:, np.newaxis]).transpose(2, 0, 1)).min(axis=1)
    assert np.median(nearest) < 3


def test_there_is_a_break_and_rows_are_in_time_order():
    made = pitch(2, rate=20, seed=8)
    for table in (made.table, made.ball):
        assert (np.diff(table["ts"].cast(pa.int64()).to_numpy()) >= 0).all()
    ends, starts = pc.max(of(made.table, half=1)["ts"]).as_py(), pc.min(of(made.table, half=2)["ts"]).as_py()
    assert timedelta(minutes=15) <= starts - ends < timedelta(minutes=15, seconds=1)
    assert made.table.column_names == ["ts", "half", "team", "player", "x", "y"]
    assert repr(made).startswith("<pitch: 38,400 rows, ")


def test_sensors_report_at_their_own_instants():
    made = pitch(1, rate=20, seed=9)
    phases = {
        player: set(np.unique(of(made.table, player=player)["ts"].cast(pa.int64()).to_numpy() % 50_000))
        for player in ("A1", "A2", "B1")
    }
    assert all(len(phase) == 1 for phase in phases.values())
    assert len(set().union(*phases.values())) == 3


def test_a_slice_is_the_same_wherever_it_is_cut():
    made = pitch(1, rate=20, ball_rate=100, seed=10)
    for name in ("rows", "ball"):
        parts = made.tables[name]
        cut = [parts.make(0, low, min(low + 700, parts.span)) for low in range(0, parts.span, 700)]
        assert pa.concat_tables(cut).equals(parts.table())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"minutes": 0}, "minutes=0"),
        ({"players": 1}, "players=1; it must be a whole number from 2 to 11"),
        ({"players": 12}, "players=12"),
        ({"rate": 0}, "rate=0"),
        ({"ball_rate": 0}, "ball_rate=0"),
        ({"seed": -1}, "seed=-1"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"pitch\(\) got {message}"):
        pitch(**arguments)
