"""Pictures of sessions inside sessions: boxes of classes, bars over time."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

import pyarrow as pa
import pytest

from streamframes.draw import save_picture, timeline, tree
from streamframes.errors import InvalidArgument


@dataclass
class Class:
    name: str
    key: str | list[str] | None = None
    opens: str | None = None
    closes: str | None = None
    timeout: str | None = None
    matches: str | None = None
    parts: list[Class] = field(default_factory=list)


FAQ = Class("FAQ", opens="choice = 'FAQ'", closes="choice <> 'FAQ'")
ATT = Class("ATT", opens="service = 'ATT'", closes="choice = '#'", parts=[FAQ])
NEWS = Class("NEWS", key=["channel", "topic"], opens="service = 'NEWS'", timeout="5 minutes")
TRACK = Class("Track", matches="x < Track.at + 6")
CALL = Class("Call", key="channel", opens="event = 102", closes="event = 104", parts=[ATT, NEWS])
MEASURES = {
    "average": "System.avg(Call.duration(ts))",
    "total": "Call.sum(ATT.duration(ts))",
    "visits": "Call.count(ATT)",
}


def boxes(figure):
    """Name -> its frame (left, bottom, right, top) and the texts in it, from above."""
    axes = figure.axes[0]
    edges = [patch.get_bbox().extents for patch in axes.patches[::2]]
    found = {}
    for left, bottom, right, top in edges:
        inside = [
            text
            for text in axes.texts
            if left <= text.get_position()[0] <= right and bottom <= text.get_position()[1] <= top
        ]
        name, *lines = [text.get_text() for text in sorted(inside, key=lambda text: -text.get_position()[1])]
        found[name] = ((left, bottom, right, top), lines)
    return found


def lines_of(figure):
    return {name: lines for name, (_, lines) in boxes(figure).items()}


def test_a_box_says_what_opens_and_closes_its_sessions():
    assert lines_of(tree(CALL)) == {
        "Call": ["key      channel", "opens    event = 102", "closes   event = 104"],
        "ATT": ["opens    service = 'ATT'", "closes   choice = '#'"],
        "FAQ": ["opens    choice = 'FAQ'", "closes   choice <> 'FAQ'"],
        "NEWS": ["key      channel, topic", "opens    service = 'NEWS'", "timeout  5 minutes"],
    }


def test_a_box_says_which_events_match_its_sessions():
    assert lines_of(tree(TRACK)) == {"Track": ["matches  x < Track.at + 6"]}


def test_measures_stand_in_the_class_that_receives_them():
    drawn = lines_of(tree(CALL, measures=MEASURES))
    assert drawn["System"] == ["always open", "average = System.avg(Call.duration(ts))"]
    assert drawn["Call"][3:] == ["total = Call.sum(ATT.duration(ts))", "visits = Call.count(ATT)"]
    everything = Class("System", parts=[CALL])
    assert lines_of(tree(everything, measures=MEASURES))["System"] == ["average = System.avg(Call.duration(ts))"]


def test_classes_stand_below_the_one_they_are_inside_of_and_beside_each_other():
    figure = tree(CALL, measures=MEASURES)
    place = {name: edges for name, (edges, _) in boxes(figure).items()}
    for above, below in (("System", "Call"), ("Call", "ATT"), ("Call", "NEWS"), ("ATT", "FAQ")):
        assert place[above][1] > place[below][3]
        # A line leads from the lower edge of the one to the upper edge of the other.
        ends = [line.get_xydata()[[0, -1], 1].tolist() for line in figure.axes[0].lines]
        assert any(end == pytest.approx([place[above][1], place[below][3]]) for end in ends)
    assert place["ATT"][2] < place["NEWS"][0]
    assert place["ATT"][3] == place["NEWS"][3]


@pytest.mark.parametrize("wide", ["Top", "A", "C"])
def test_no_two_boxes_overlap_and_no_text_leaves_its_box(wide):
    names = ["Top", "A", "B", "C", "D", "E"]
    long = " AND ".join(f"column_{number} > {number}" for number in range(9))
    top, a, b, c, d, e = (Class(name, opens=long if name == wide else "x") for name in names)
    top.parts, a.parts, b.parts = [a, b], [c, d], [e]
    figure = tree(top, measures={"n": "A.count(C)"}, title="A tree", subtitle="of classes")
    figure.canvas.draw()
    drawn = [edges for edges, _ in boxes(figure).values()]
    assert len(drawn) == 6
    for place, mine in enumerate(drawn):
        for other in drawn[place + 1 :]:
            beside = mine[2] <= other[0] or other[2] <= mine[0]
            assert beside or mine[3] <= other[1] or other[3] <= mine[1]
    axes = figure.axes[0]
    for text in axes.texts[2:]:
        ends = axes.transData.inverted().transform(text.get_window_extent().get_points())
        x, y = text.get_position()
        box = next(edges for edges in drawn if edges[0] <= x <= edges[2] and edges[1] <= y <= edges[3])
        assert ends[1][0] <= box[2]
    limits = (*axes.get_xlim(), *axes.get_ylim())
    assert all(limits[0] < box[0] and box[2] < limits[1] and limits[2] < box[1] < box[3] < limits[3] for box in drawn)


def test_several_classes_that_are_inside_of_none_share_a_root():
    figure = tree([ATT, NEWS], root="Everything")
    assert set(boxes(figure)) == {"Everything", "ATT", "FAQ", "NEWS"}


def test_what_is_no_tree_is_refused():
    with pytest.raises(InvalidArgument, match=r"measure 'Cal.count\(ATT\)'; it must begin with one of Call, ATT, FAQ"):
        tree(CALL, measures={"n": "Cal.count(ATT)"})
    with pytest.raises(InvalidArgument, match=r"tree\(\) got classes=\[\]; give at least one class"):
        tree([])
    with pytest.raises(
        InvalidArgument, match=r"root='ATT', which is the name of a class; several classes need another"
    ):
        tree([ATT, NEWS], root="ATT")


def sessions(*rows, prefix="frame_", **columns):
    names = ("class", "id", "parent", "level", "start", "end", "closed_by")
    types = (pa.string(), pa.int64(), pa.int64(), pa.int32(), pa.int64(), pa.int64(), pa.string())
    schema = pa.schema([(prefix + name, kind) for name, kind in zip(names, types, strict=True)])
    table = pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)
    for name, values in columns.items():
        table = table.append_column(name, pa.array(values))
    return table


FEW = (
    ("Call", 1, None, 0, 0, 90, "condition"),
    ("ATT", 2, 1, 1, 10, 40, "condition"),
    ("FAQ", 3, 2, 2, 20, 30, "condition"),
    ("ATT", 4, 1, 1, 50, 90, "parent"),
    ("Call", 5, None, 0, 30, 100, "end of data"),
    ("ATT", 6, 5, 1, 40, 60, "timeout"),
)


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


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


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
    assert figure.axes[0].get_title(loc="left") == "2 Call sessions"


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


def test_too_many_sessions_are_cut_and_the_picture_says_so():
    rows = [("Call", each, None, 0, 2 * each, 2 * each + 1, "condition") for each in range(2_000)]
    figure = timeline(sessions(*rows), at_most=5, subtitle="calls")
    assert figure.axes[0].get_title(loc="left") == "calls · the first 5 of 2,000 Call sessions"
    assert [bar[2] for bar in bars(figure)] == [0, 2, 4, 6, 8]
    assert figure.axes[0].get_xlim()[1] < 12


def test_outermost_sessions_are_named_by_their_columns():
    table = sessions(*FEW, channel=[7, 7, 7, 7, 9, 9])
    figure = timeline(table, by="channel")
    assert [(text.get_text(), text.xy[1]) for text in figure.axes[0].texts] == [("channel 7", 0), ("channel 9", 3)]


def test_parents_that_are_not_in_the_table_make_their_parts_outermost():
    figure = timeline(sessions(FEW[1], FEW[2], FEW[5]))
    assert [bar[:2] for bar in bars(figure)] == [("ATT", 0), ("FAQ", 1), ("ATT", 2)]
    assert figure.axes[0].get_title(loc="left") == "2 ATT sessions"


def test_pandas_and_other_prefixes_give_the_same_picture(tmp_path):
    made = {"arrow": timeline(sessions(*FEW)), "pandas": timeline(sessions(*FEW).to_pandas())}
    made["prefix"] = timeline(sessions(*FEW, prefix="s_"), prefix="s_")
    drawn = {save_picture(figure, tmp_path / f"{name}.png").read_bytes() for name, figure in made.items()}
    assert len(drawn) == 1


def test_ids_that_pandas_has_rounded_are_refused():
    large = 2**60 + 1
    table = sessions(("Call", large, None, 0, 0, 9, "condition"), ("ATT", 2, large, 1, 1, 2, "condition"))
    assert [bar[1] for bar in bars(timeline(table))] == [0, 1]
    with pytest.raises(InvalidArgument, match=r"frame_parent as double, which rounds it; give Arrow or Int64"):
        timeline(table.to_pandas())


def test_instants_are_labelled_as_times():
    table = sessions(FEW[0])
    edges = [datetime(2001, 9, 28, 12, 25), datetime(2001, 9, 28, 12, 29)]
    for name, at in zip(("frame_start", "frame_end"), edges, strict=True):
        place = table.column_names.index(name)
        table = table.set_column(place, name, pa.array([at], pa.timestamp("us", "UTC")))
    assert timeline(table, label="ts").axes[0].get_xlabel() == "ts (UTC), 2001-09-28"


def test_no_sessions_can_be_drawn(tmp_path):
    figure = timeline(sessions())
    assert bars(figure) == []
    save_picture(figure, tmp_path / "none.png")


def test_what_cannot_be_drawn_is_refused_with_a_remedy():
    with pytest.raises(
        InvalidArgument, match=r"sessions='s_class', which is not a column; the columns are frame_class"
    ):
        timeline(sessions(*FEW), prefix="s_")
    with pytest.raises(InvalidArgument, match=r"by='link', which is not a column"):
        timeline(sessions(*FEW), by="link")
    with pytest.raises(InvalidArgument, match=r"at_most=0; it must be a whole number of at least 1"):
        timeline(sessions(*FEW), at_most=0)
    with pytest.raises(InvalidArgument, match=r"sessions with the same frame_id; give each session once"):
        timeline(sessions(FEW[0], FEW[0]))
    with pytest.raises(InvalidArgument, match=r"inside of themselves; check their parents"):
        timeline(sessions(("A", 1, 2, 0, 0, 1, ""), ("B", 2, 1, 1, 0, 1, "")))
