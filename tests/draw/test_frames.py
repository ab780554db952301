"""Pictures of frames: the signal, what is shaded, the levels and the marks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa

from streamframes.draw import Levels, Marks
from streamframes.draw.bands import Bands
from tests.draw.worlds import PICTURES, frames, legend, table

draw = PICTURES["frames"]
MANY = frames(*((i, i) for i in range(0, 1000, 2)))


def test_axes_and_legend_say_what_is_seen():
    figure = draw(levels=Levels([0.3], "threshold"), label="v (%)")
    axes = figure.axes[1]
    assert [axes.get_xlabel(), axes.get_ylabel()] == ["t", "v (%)"]
    assert legend(figure) == ["v (%)", "inside a frame", "frame", "threshold 0.3"]
    assert legend(draw(levels=[0.3, 1]))[-1] == "level 0.3, 1"


def test_frames_that_leave_no_row_out_take_turns_in_colour():
    assert legend(draw(table(), frames((0, 19), (20, 34), (35, 49)))) == ["v", "frames, in turn"]


def test_gaps_differ_from_episodes():
    found = frames((0, 4), (5, 9), (10, 49), frame_kind=["gap", "episode", "gap"])
    assert legend(draw(table(), found)) == ["v", "inside a frame", "frame", "gap between frames"]


def test_the_signal_ends_with_the_last_frame_that_is_drawn():
    assert draw(table(1000), MANY).axes[1].get_xlim()[1] < 300


def test_other_rows_are_marked_below_the_signal():
    marks = pa.array([3, 1, 3, None, 90], pa.int32())
    figure = draw(marks=Marks(marks, "commands"))
    assert legend(figure)[-1] == "commands"
    assert figure.axes[1].lines[-1].get_xdata().tolist() == [1, 3, 90]
    of_pandas = draw(marks=pd.Series([7, 8]))
    assert of_pandas.axes[1].lines[-1].get_xdata().tolist() == [7, 8]
    assert legend(of_pandas)[-1] == "other rows"


def test_marks_end_where_the_picture_is_cut():
    figure = draw(table(1000), MANY, marks=pa.array([0, 100, 238, 239, 999]))
    assert figure.axes[1].lines[-1].get_xdata().tolist() == [0, 100, 238]


def test_frames_that_overlap_stand_in_lanes():
    bands = Bands(np.array([0.0, 2.0, 5.0]), np.array([4.0, 6.0, 9.0]), np.zeros(3, bool))
    assert bands.lanes().tolist() == [0, 1, 0]
    assert bands.covers(np.array([-1.0, 0.0, 9.0, 9.1])).tolist() == [False, True, True, False]


def test_nulls_in_the_signal_are_left_out():
    rows = pd.DataFrame({"t": [1, 2, 3], "v": [1.0, None, 3.0]})
    assert draw(rows, frames((1, 3))).axes[1].lines
