"""Timelines of sessions: bars in lanes, those inside of a session below it."""

from __future__ import annotations

import pytest

from streamframes.draw import save_picture, timeline
from streamframes.errors import InvalidArgument
from tests.draw.worlds import FEW, legend, sessions


def bars(figure):
    """(class, lane, start, end) of each bar, by lane and start; the shades behind them are left out."""
    axes = figure.axes[0]
    lanes = [text.get_text() for text in axes.get_yticklabels()]
    found = []
    for container in axes.containers:
        for bar in container:
            lane = round(bar.get_y() + bar.get_height() / 2)
            assert lanes[lane] == container.get_label()
            found.append((container.get_label(), lane, bar.get_x(), bar.get_x() + bar.get_width()))
    return sorted(found, key=lambda bar: bar[1:])


def marks(figure):
    """What closed them -> (end, lane) of the sessions that are marked."""
    return {line.get_label(): sorted(map(tuple, line.get_xydata().tolist())) for line in figure.axes[0].lines}


def test_sessions_stand_below_their_parents_in_lanes_of_their_class():
    figure = timeline(sessions(*FEW))
    assert bars(figure) == [
        ("Call", 0, 0, 90),
        ("ATT", 1, 10, 40),
        ("ATT", 1, 50, 90),
        ("FAQ", 2, 20, 30),
        ("Call", 3, 30, 100),
        ("ATT", 4, 40, 60),
    ]
    assert figure.axes[0].yaxis_inverted()


def test_what_was_not_closed_by_its_condition_is_marked():
    figure = timeline(sessions(*FEW))
    assert marks(figure) == {
        "closed by parent": [(90, 1)],
        "closed by timeout": [(60, 4)],
        "closed by end of data": [(100, 3)],
    }
    assert legend(figure) == ["Call", "ATT", "FAQ", *marks(figure)]
    assert marks(timeline(sessions(*FEW[:3]))) == {}


def test_a_session_without_an_end_is_still_open():
    figure = timeline(sessions(*FEW[:2], ("Call", 7, None, 0, 20, None, None)))
    assert ("Call", 2, 20, 90) in bars(figure)
    assert marks(figure) == {"still open": [(90, 2)]}


def test_every_class_has_a_colour_of_its_own():
    containers = timeline(sessions(*FEW)).axes[0].containers
    assert len({container[0].get_facecolor() for container in containers}) == 3
    assert all(len({bar.get_facecolor() for bar in container}) == 1 for container in containers)


def test_sessions_of_one_parent_that_overlap_stand_in_two_lanes():
    rows = [("Call", 1, None, 0, 0, 9, "condition")]
    rows += [("ATT", 2 + each, 1, 1, each * 2, each * 2 + 3, "condition") for each in range(3)]
    rows += [("ATT", 9, 1, 1, 7, 9, "condition")]
    drawn = bars(timeline(sessions(*rows)))
    assert [lane for kind, lane, *_ in drawn if kind == "ATT"] == [1, 1, 1, 2]
    assert [start for kind, _, start, _ in drawn if kind == "ATT"] == [0, 4, 7, 2]


def test_too_many_sessions_are_cut():
    rows = [("Call", each, None, 0, 2 * each, 2 * each + 1, "condition") for each in range(2_000)]
    figure = timeline(sessions(*rows), at_most=5)
    assert [bar[2] for bar in bars(figure)] == [0, 2, 4, 6, 8]
    assert figure.axes[0].get_xlim()[1] < 12


def test_outermost_sessions_are_named_by_their_columns():
    table = sessions(*FEW, channel=[7, 7, 7, 7, 9, 9])
    figure = timeline(table, by="channel")
    assert [(text.get_text(), text.xy[1]) for text in figure.axes[0].texts] == [("channel 7", 0), ("channel 9", 3)]


def test_parents_that_are_not_in_the_table_make_their_parts_outermost():
    figure = timeline(sessions(FEW[1], FEW[2], FEW[5]))
    assert [bar[:2] for bar in bars(figure)] == [("ATT", 0), ("FAQ", 1), ("ATT", 2)]


def test_another_prefix_gives_the_same_picture(tmp_path):
    made = {"frame_": timeline(sessions(*FEW)), "s_": timeline(sessions(*FEW, prefix="s_"), prefix="s_")}
    drawn = {save_picture(figure, tmp_path / f"{prefix}.png").read_bytes() for prefix, figure in made.items()}
    assert len(drawn) == 1


def test_no_sessions_are_no_bars():
    assert bars(timeline(sessions())) == []


def test_ids_that_pandas_has_rounded_are_refused():
    large = 2**60 + 1
    table = sessions(("Call", large, None, 0, 0, 9, "condition"), ("ATT", 2, large, 1, 1, 2, "condition"))
    assert [bar[1] for bar in bars(timeline(table))] == [0, 1]
    with pytest.raises(InvalidArgument, match=r"frame_parent as double, which rounds it; give Arrow or Int64"):
        timeline(table.to_pandas())
