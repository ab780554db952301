from datetime import UTC, datetime

import numpy as np
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.data import calls, figure_call
from tests.thoroughness import examples

CLASSES = ("Call", "ATT", "FAQ")


def opens(kind, row):
    if kind == "Call":
        return row["event_type"] == 102
    if kind == "ATT":
        return row["event_type"] == 500 and row["expression"] == "ATT"
    return row["step_num"] == 342 and row["expression"] == "FAQ"


def closes(kind, row):
    if kind == "Call":
        return row["event_type"] == 104
    if kind == "ATT":
        return row["step_num"] == 342 and row["expression"] == "#"
    return row["step_num"] == 342 and row["expression"] != "FAQ"


def by_definition(table):
    """The sessions of a log, row by row: for each channel at most one call, one visit in it, one FAQ session in that.

    Returns sessions by the row that opens them, with the numbers of their first and last row.
    """
    open_on, found, numbers = {}, [], 0
    for row in table.to_pylist():
        path = open_on.setdefault(row["channel"], [])
        for session in path:
            session["frame_rows"] += 1
        if len(path) < len(CLASSES) and opens(CLASSES[len(path)], row):
            numbers += not path
            session = {"channel": row["channel"], "call": path[0]["call"] if path else numbers}
            session |= {"frame_class": CLASSES[len(path)], "frame_start": row["ts"], "frame_rows": 1}
            path.append(session | {"first": row["seq"]})
            found.append(path[-1])
        for depth in reversed(range(len(path))):
            if closes(CLASSES[depth], row):
                for session in path[depth:]:
                    why = "condition" if session is path[depth] else "parent"
                    session |= {"frame_end": row["ts"], "last": row["seq"], "frame_closed_by": why}
                del path[depth:]
    assert not any(open_on.values())
    return found


def planted(made):
    return [{k: v for k, v in row.items() if k != "visit"} for row in made.episodes.to_pylist()]


def without_seq(sessions):
    kept = [{k: v for k, v in session.items() if k not in ("first", "last")} for session in sessions]
    return sorted(kept, key=lambda session: session["call"])


@pytest.mark.parametrize(
    ("number", "channels", "seed", "options"),
    [
        (600, 24, 0, {}),
        (600, 1, 1, {"idle": 0}),
        (600, 7, 2, {"often": 0.9, "hang_up": 0.9, "idle": 0.9}),
        (2_500, 900, 3, {"often": 0, "hang_up": 0}),
        (5, 10**9, 4, {}),
        (1, 1, 5, {}),
    ],
)
def test_the_truth_is_what_a_scan_of_the_log_finds(number, channels, seed, options):
    made = calls(number, channels, seed=seed, **options)
    found = by_definition(made.table)
    assert planted(made) == without_seq(found)
    assert sum(session["frame_class"] == "Call" for session in found) == number


@examples(25)
@given(
    number=st.integers(1, 60),
    channels=st.integers(1, 9),
    seed=st.integers(0, 2**70),
    often=st.floats(0, 0.99),
    hang_up=st.floats(0, 0.99),
    idle=st.floats(0, 0.99),
)
def test_the_truth_is_true_for_any_arguments(number, channels, seed, **shares):
    made = calls(number, channels, seed=seed, **shares)
    assert made.table.num_rows == made.num_rows
    assert planted(made) == without_seq(by_definition(made.table))


def test_calls_are_summed_up_in_the_order_in_which_they_close():
    made = calls(800, 30, seed=6, often=0.3)
    found = by_definition(made.table)
    closing = sorted((each for each in found if each["frame_class"] == "Call"), key=lambda each: each["last"])
    expected = []
    for call in closing:
        visits = [each for each in found if each["frame_class"] == "ATT" and each["call"] == call["call"]]
        spent = [(each["frame_end"] - each["frame_start"]).total_seconds() for each in visits]
        expected.append(
            {name: call[name] for name in ("channel", "call", "frame_start", "frame_end")}
            | {"att_visits": len(visits), "att_seconds": sum(spent) if visits else None}
            | {"fifth_att": visits[4]["frame_start"] if len(visits) > 4 else None}
        )
    assert made.calls.to_pylist() == expected
    assert 0 < made.calls["fifth_att"].null_count < 800
    assert 0 < made.calls["att_seconds"].null_count < 800


def test_averages_are_those_of_the_scan():
    made = calls(1_500, 30, seed=7)
    found = by_definition(made.table)

    def seconds(kind):
        some = [each for each in found if each["frame_class"] == kind]
        return [(each["frame_end"] - each["frame_start"]).total_seconds() for each in some]

    spent = made.calls["att_seconds"].to_pylist()
    assert made.average_call() == pytest.approx(np.mean(seconds("Call")))
    assert made.average_faq() == pytest.approx(np.mean(seconds("FAQ")))
    assert made.average_att() == pytest.approx(np.mean([each for each in spent if each is not None]))
    assert made.average_att(last=1_000) == pytest.approx(np.mean([each for each in spent[500:] if each is not None]))
    assert made.average_att(last=10_000) == made.average_att()
    with pytest.raises(ValueError, match=r"average_att\(\) got last=0; it must be a whole number of at least 1"):
        made.average_att(last=0)


def test_visits_to_att_are_counted_within_their_call():
    episodes = calls(300, seed=8, often=0.4).episodes
    visits = episodes.filter(pc.equal(episodes["frame_class"], "ATT")).group_by("call").aggregate([("visit", "list")])
    assert all(each == list(range(1, len(each) + 1)) for each in visits["visit_list"].to_pylist())
    assert pc.max(episodes["visit"]).as_py() == 8
    assert episodes["visit"].null_count == 300
    inside = {(row["call"], row["visit"]) for row in episodes.to_pylist() if row["frame_class"] == "FAQ"}
    assert inside <= {(row["call"], row["visit"]) for row in episodes.to_pylist() if row["frame_class"] == "ATT"}


def test_shares_are_those_that_were_given():
    made = calls(20_000, 100, seed=9, often=0.25, hang_up=0.3, idle=0.5)
    assert pc.mean(pc.greater(made.calls["att_visits"], 4)).as_py() == pytest.approx(0.25, abs=0.01)
    # The last visit of a call may be to another service, and then nothing is left open.
    by_parent = pc.equal(made.episodes["frame_closed_by"], "parent")
    hung = made.episodes.filter(by_parent).group_by("frame_class").aggregate([([], "count_all")])
    counts = dict(zip(*(hung[name].to_pylist() for name in ("frame_class", "count_all")), strict=True))
    assert counts.keys() == {"ATT", "FAQ"}
    assert 0 < counts["FAQ"] < counts["ATT"] < 0.3 * 20_000
    busy = made.average_call() * 20_000 / (100 * made.tables["rows"].span)
    assert busy == pytest.approx(0.5, abs=0.03)
    assert pc.max(calls(2_000, often=0).calls["att_visits"]).as_py() == 4
    assert "parent" not in calls(2_000, hang_up=0).episodes["frame_closed_by"].to_pylist()


def test_the_call_of_the_figure_is_one_session_of_each_class():
    table = figure_call()
    assert table.num_rows == 23
    assert table["seq"].to_pylist() == list(range(1, 24))
    found = by_definition(table)
    assert [(each["frame_class"], each["first"], each["last"], each["frame_rows"]) for each in found] == [
        ("Call", 2, 23, 22),
        ("ATT", 5, 22, 18),
        ("FAQ", 7, 16, 10),
    ]
    assert found[0]["frame_end"] == datetime(2001, 9, 28, 12, 29, 42, tzinfo=UTC)
    assert {each["frame_closed_by"] for each in found} == {"condition"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"calls": 0}, "calls=0; it must be a whole number of at least 1"),
        ({"channels": 0}, "channels=0; it must be a whole number from 1 to 2147483647"),
        ({"seed": -1}, "seed=-1; it must be a whole number of at least 0"),
        ({"often": 1}, "often=1; it must be a number from 0 up to, not including, 1"),
        ({"hang_up": -0.1}, "hang_up=-0.1"),
        ({"idle": "much"}, "idle='much'"),
        ({"start": "noon"}, "start='noon'; it must be a datetime or ISO text in whole seconds"),
        ({"start": "2026-01-05T00:00:00.5"}, "start='2026-01-05T00:00:00.5'"),
        ({"start": 7}, "start=7"),
    ],
)
def test_an_impossible_argument_is_named(arguments, message):
    with pytest.raises(ValueError, match=rf"calls\(\) got {message}"):
        calls(**arguments)
