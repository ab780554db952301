"""Signals: as many points as a reader can see, on an axis of instants."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from streamframes.draw.signal import broken, instants, thinned
from tests.draw.worlds import PICTURES, frames, table


def test_dates_are_instants_too():
    rows = table().set_column(0, "t", pa.array([date(2024, 12, 1) + timedelta(days=i) for i in range(50)]))
    assert instants(rows["t"]).is_time
    assert PICTURES["frames"](rows, frames((1, 2))).axes[1].get_xlabel() == "t"


def test_thinning_keeps_the_extremes_of_every_stretch():
    at, value = np.arange(100_000.0), np.sin(np.arange(100_000) / 500)
    value[70_123] = 9.0
    thin_at, thin_value = thinned(at, value, bins=100)
    assert thin_at.size <= 200
    assert thin_value.max() == 9.0
    assert thin_value.min() == value.min()
    assert (np.diff(thin_at) > 0).all()


def test_a_long_pause_breaks_the_line():
    at, value = broken(np.array([1.0, 2.0, 3.0, 90.0]), np.ones(4))
    assert np.isnan(value).tolist() == [False, False, False, True, False]
    assert at.tolist() == [1.0, 2.0, 3.0, 3.0, 90.0]
