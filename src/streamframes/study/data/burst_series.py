"""The series of the study of bursts: values in the order of time, and their alarms, all through `bursts()`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamframes.api.bursts import Bursts, bursts
from streamframes.core.bursts.learning import Learn
from streamframes.data import packets
from streamframes.options import Search
from streamframes.study.kit import Lab

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

UNITS = 50_000
_ALL = -1e300


@dataclass(frozen=True)
class Setting:
    """What is watched: which aggregate, over how many windows, with which thresholds and error."""

    agg: str = "sum"
    error: float = 0.01
    sigmas: float = 7.0
    windows: int = 100

    @property
    def lengths(self) -> range:
        """4, 8, 12, ... rows."""
        return range(4, 4 * self.windows + 1, 4)


@dataclass(frozen=True)
class Series:
    """Values `at` instants; with a `unit`, they are sums of rows in units of time. `name` tells one from others."""

    rows: DataFrame
    unit: int | str | None
    at: np.ndarray
    values: np.ndarray
    name: str

    def watched(self, setting: Setting, search: str) -> Bursts:
        """A search whose thresholds are learnt from the first tenth of the series."""
        thresholds = Learn(sigmas=setting.sigmas, rows=self.values.size // 10)
        return _bursts(
            self,
            setting.agg,
            windows=setting.lengths,
            thresholds=thresholds,
            search=Search(search, error=setting.error),
        )

    def alarms(self, lab: Lab, setting: Setting, search: str) -> np.ndarray:
        """A number for each alarm, from its row and window."""
        doing = f"Bursts of {setting.agg}, {setting.windows} windows, {search}"
        alarms = lab.fetch(doing, self.watched(setting, search).toDF().select("ts", "window"))
        row = np.searchsorted(self.at, alarms["ts"].to_numpy().astype(np.int64))
        return np.asarray(row * (4 * setting.windows + 1) + alarms["window"].to_numpy())

    def learnt(self, lab: Lab, setting: Setting) -> np.ndarray:
        """The thresholds of all windows."""
        table = lab.fetch("Learning thresholds", self.watched(setting, "exact").learnt().orderBy("window"))
        return np.asarray(table["threshold"].to_numpy())


def series_of(lab: Lab) -> Series:
    """The longest series of the data, or made-up traffic of one link.

    Rows of data without a value are counted in units of time, about 50,000 of them.
    """
    rows = lab.rows_of(lambda: packets(lab.rows, links=1, seed=lab.seed))
    name = ""
    if lab.data is None:
        rows = rows.selectExpr("ts", "cast(bytes AS double) value")
    else:
        rows, name = lab.largest(rows, "series")
    unit = None
    if "value" not in rows.columns:
        unit = _unit(lab, rows)
        rows = rows.selectExpr("ts", "1D AS value")
    series = Series(rows, unit, np.empty(0, np.int64), np.empty(0), name)
    # A window of one row whose threshold every value reaches shows all values.
    alarms = lab.fetch("Reading the series", _bursts(series, "sum", thresholds={1: _ALL}).toDF().orderBy("ts"))
    return Series(rows, unit, alarms["ts"].to_numpy().astype(np.int64), alarms["value"].to_numpy(), name)


def _bursts(
    series: Series,
    agg: str,
    thresholds: Learn | dict[int, float],
    windows: range | None = None,
    search: Search | None = None,
) -> Bursts:
    return bursts(
        series.rows,
        "value",
        windows=windows,
        thresholds=thresholds,
        agg=agg,
        ts="ts",
        unit=series.unit,
        search=search,
    )


def _unit(lab: Lab, rows: DataFrame) -> int | str:
    """A unit of 1, 2 or 5 times a power of ten: ticks, or milliseconds where `ts` is a time."""
    is_time = dict(rows.dtypes)["ts"].startswith("timestamp")
    ticks = "unix_micros(cast(ts AS timestamp)) / 1000" if is_time else "ts"
    span = lab.fetch("Reading the series", rows.selectExpr(f"max({ticks}) - min({ticks}) AS span"))["span"][0].as_py()
    wanted = max(1.0, float(span or 0) / UNITS)
    power = 10 ** np.floor(np.log10(wanted))
    near = min((power * step for step in (1, 2, 5, 10)), key=lambda each: abs(each - wanted))
    return f"{int(near)} milliseconds" if is_time else int(near)
