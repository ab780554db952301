"""Pictures of bursts: alarms as cells of time and window."""

from __future__ import annotations

import numpy as np
import pytest

from streamframes.draw import save_picture
from tests.draw.worlds import PICTURES, alarms, heading, table

draw = PICTURES["bursts"]


def heat(figure):
    """What is drawn in the map: line, column and how far over the threshold."""
    cells = figure.axes[1].collections[0].get_array()
    drawn = np.argwhere(~np.ma.getmaskarray(cells)).tolist()
    return [(line, column, float(cells[line, column])) for line, column in drawn]


def test_alarms_are_cells_of_time_and_window():
    figure = draw()
    assert heat(figure) == [(0, 3, 0.5), (0, 40, 1.0), (1, 3, 0.0)]
    assert [axes.get_ylabel() for axes in figure.axes[:2]] == ["v", "window (rows)"]
    assert figure.axes[1].get_yscale() == "linear"


def test_many_windows_are_drawn_by_their_logarithm_in_fewer_lines():
    found = alarms((3, 1, 2.0, 1.0), (3, 5000, 2.0, 1.0))
    figure = draw(table(5000), found, windows=range(1, 5001))
    assert figure.axes[1].get_yscale() == "log"
    assert [line for line, *_ in heat(figure)] == [0, 199]


@pytest.mark.parametrize(("n", "windows"), [(50, [4]), (1, [4, 8])])
def test_a_picture_without_alarms_or_of_one_window_can_be_drawn(tmp_path, n, windows):
    figure = draw(table(n), alarms(), windows=windows)
    assert heading(figure) == "0 alarms"
    assert save_picture(figure, tmp_path / "none.svg", what="alarms").stat().st_size > 1000
