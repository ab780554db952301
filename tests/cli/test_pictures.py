"""Pictures: what is drawn, and into which files."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from streamframes.draw import draw_frames, save_picture
from streamframes.draw.bands import MAX_BANDS, Bands
from streamframes.draw.signal import broken, instants, thinned
from streamframes.errors import InvalidArgument


def table(n=50, **columns):
    return pa.table({"t": list(range(n)), "v": [float(i % 7) for i in range(n)], **columns})


def frames(*edges, **columns):
    return pa.table({"frame_start": [a for a, _ in edges], "frame_end": [b for _, b in edges], **columns})


def texts(figure):
    axes = figure.axes[1]
    return [axes.get_xlabel(), axes.get_ylabel(), *(text.get_text() for text in figure.legends[0].get_texts())]


def test_axes_and_legend_say_what_is_seen():
    figure = draw_frames(
        table(), frames((5, 9), (20, 30)), ts="t", value="v", levels=[0.3], level_label="threshold", label="v (%)"
    )
    assert texts(figure) == ["t", "v (%)", "v (%)", "inside a frame", "frame", "threshold 0.3"]
    assert figure.axes[0].get_title(loc="left") == "2 frames"


def test_pandas_and_arrow_give_the_same_picture(tmp_path):
    rows, found = table(), frames((5, 9))
    one = save_picture(draw_frames(rows, found, ts="t", value="v"), tmp_path / "a.png")
    other = save_picture(draw_frames(rows.to_pandas(), found.to_pandas(), ts="t", value="v"), tmp_path / "b.png")
    assert one.read_bytes() == other.read_bytes()


def test_frames_that_leave_no_row_out_take_turns_in_colour():
    found = frames((0, 19), (20, 34), (35, 49))
    assert texts(draw_frames(table(), found, ts="t", value="v"))[2:] == ["v", "frames, in turn"]


def test_gaps_are_told_apart_from_episodes():
    found = frames((0, 4), (5, 9), (10, 49), frame_kind=["gap", "episode", "gap"])
    figure = draw_frames(table(), found, ts="t", value="v")
    assert texts(figure)[2:] == ["v", "inside a frame", "frame", "gap between frames"]


def test_too_many_frames_are_cut_and_the_picture_says_so():
    found = frames(*((i, i) for i in range(0, 1000, 2)))
    figure = draw_frames(table(1000), found, ts="t", value="v", subtitle="Delta")
    assert figure.axes[0].get_title(loc="left") == f"Delta · the first {MAX_BANDS} of 500 frames"
    assert figure.axes[1].get_xlim()[1] < 300


def test_no_frames_and_no_rows_can_be_drawn(tmp_path):
    none = frames().cast(pa.schema({"frame_start": pa.int64(), "frame_end": pa.int64()}))
    save_picture(draw_frames(table(), none, ts="t", value="v"), tmp_path / "none.png")
    save_picture(draw_frames(table().slice(0, 0), none, ts="t", value="v"), tmp_path / "empty.png")
    assert (tmp_path / "empty.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("kind", "label"),
    [
        (pa.timestamp("us", "UTC"), "t (UTC), 2026-01-05"),
        (pa.timestamp("ns"), "t, 2026-01-05"),
        (pa.timestamp("us", "Asia/Tokyo"), "t (Asia/Tokyo), 2026-01-05"),
    ],
)
def test_the_time_axis_names_its_zone_and_the_day_that_all_share(kind, label):
    at = pa.array([datetime(2026, 1, 5, 1) + timedelta(minutes=i) for i in range(50)]).cast(kind)
    rows = table().set_column(0, "t", at)
    found = pa.table({"frame_start": at.slice(3, 1), "frame_end": at.slice(9, 1)})
    assert draw_frames(rows, found, ts="t", value="v").axes[1].get_xlabel() == label


def test_dates_are_instants_too():
    rows = table().set_column(0, "t", pa.array([date(2024, 12, 1) + timedelta(days=i) for i in range(50)]))
    assert instants(rows["t"]).is_time
    assert draw_frames(rows, frames((1, 2)), ts="t", value="v").axes[1].get_xlabel() == "t"


def test_a_page_holds_the_picture_and_the_frames(tmp_path):
    found = frames((5, 9), who=["<b>"])
    figure = draw_frames(table(), found, ts="t", value="v")
    page = save_picture(figure, tmp_path / "new" / "a.html", frames=found, title="A & B").read_text("utf-8")
    assert "<svg" in page
    assert "A &amp; B" in page
    assert "<td>&lt;b&gt;</td>" in page
    assert "src=" not in page


def test_an_svg_is_the_same_each_time(tmp_path):
    pictures = [
        save_picture(draw_frames(table(), frames((5, 9)), ts="t", value="v"), tmp_path / f"{i}.svg").read_bytes()
        for i in range(2)
    ]
    assert pictures[0] == pictures[1]


def test_what_cannot_be_drawn_is_refused_with_a_remedy(tmp_path):
    with pytest.raises(InvalidArgument, match=r"ts='x', which is not a column; the columns are t, v"):
        draw_frames(table(), frames((1, 2)), ts="x", value="v")
    with pytest.raises(InvalidArgument, match=r"value='w' of type string; draw a column of numbers"):
        draw_frames(table(1, w=["a"]), frames((1, 2)), ts="t", value="w")
    with pytest.raises(InvalidArgument, match=r"rows of type list; give pandas or Arrow"):
        draw_frames([1], frames((1, 2)), ts="t", value="v")
    with pytest.raises(InvalidArgument, match=r"end it in one of .png, .svg, .html"):
        save_picture(draw_frames(table(), frames((1, 2)), ts="t", value="v"), tmp_path / "a.jpg")


def test_thinning_keeps_the_extremes_of_every_stretch():
    at, value = np.arange(100_000.0), np.sin(np.arange(100_000) / 500)
    value[70_123] = 9.0
    thin_at, thin_value = thinned(at, value, bins=100)
    assert thin_at.size <= 200
    assert thin_value.max() == 9.0
    assert thin_value.min() == value.min()
    assert (np.diff(thin_at) > 0).all()


def test_a_long_silence_breaks_the_line():
    at, value = broken(np.array([1.0, 2.0, 3.0, 90.0]), np.ones(4))
    assert np.isnan(value).tolist() == [False, False, False, True, False]
    assert at.tolist() == [1.0, 2.0, 3.0, 3.0, 90.0]


def test_other_rows_are_marked_below_the_signal():
    marks = pa.array([3, 1, 3, None, 90], pa.int32())
    figure = draw_frames(table(), frames((5, 9)), ts="t", value="v", marks=marks, mark_label="commands")
    assert texts(figure)[-1] == "commands"
    assert figure.axes[1].lines[-1].get_xdata().tolist() == [1, 3, 90]
    of_pandas = draw_frames(table(), frames((5, 9)), ts="t", value="v", marks=pd.Series([7, 8]))
    assert of_pandas.axes[1].lines[-1].get_xdata().tolist() == [7, 8]
    assert texts(of_pandas)[-1] == "other rows"


def test_marks_end_where_the_picture_is_cut():
    found = frames(*((i, i) for i in range(0, 1000, 2)))
    figure = draw_frames(table(1000), found, ts="t", value="v", marks=pa.array([0, 100, 238, 239, 999]))
    assert figure.axes[1].lines[-1].get_xdata().tolist() == [0, 100, 238]


def test_frames_that_overlap_stand_in_lanes():
    bands = Bands(np.array([0.0, 2.0, 5.0]), np.array([4.0, 6.0, 9.0]), np.zeros(3, bool))
    assert bands.lanes().tolist() == [0, 1, 0]
    assert bands.covers(np.array([-1.0, 0.0, 9.0, 9.1])).tolist() == [False, True, True, False]


def test_nulls_in_the_signal_are_left_out():
    rows = pd.DataFrame({"t": [1, 2, 3], "v": [1.0, None, 3.0]})
    assert draw_frames(rows, frames((1, 3)), ts="t", value="v").axes[1].lines
