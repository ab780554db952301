"""Trees of session classes: a box for each, with what opens and closes it and what is computed in it."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from streamframes.draw import tree
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
