"""What searches for bursts cost: bytes kept and seconds, beside other exact methods, on one core without an engine."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from streamframes.study.baselines.bursts.methods import BISECTED, STARDUST, WAVELET, Case, kept, methods_of
from streamframes.study.baselines.bursts.stardust import kept as stardust_kept
from streamframes.study.baselines.bursts.wavelet import kept as wavelet_kept
from streamframes.study.data.burst_series import Series, Setting
from streamframes.study.kit import Lab
from streamframes.study.report.charts import lines, panels
from streamframes.study.report.outcome import Claim, Table

NUMBERS = (50, 100, 200, 400, 600, 800, 1_000)
COLUMNS = ("windows", "method", "kilobytes", "seconds")


def costs(lab: Lab, series: Series) -> Table:
    """Every method with every number of windows that the series is long enough to learn."""
    numbers = [number for number in NUMBERS if 40 * number <= series.values.size]
    found = [line for number in numbers for line in _of(lab, series, Setting(windows=number))]
    return Table("costs", "Space and time of one core, sum, 7 deviations, error 0.01", COLUMNS, found)


def _of(lab: Lab, series: Series, setting: Setting) -> list[list[object]]:
    lengths, thresholds = np.array(setting.lengths), series.learnt(lab, setting)
    methods = methods_of(Case("the series", series.values, lengths, thresholds))
    sizes = {
        BISECTED: kept(series.values, setting.error),
        STARDUST: stardust_kept(lengths),
        WAVELET: wavelet_kept(lengths, thresholds),
    }
    for name in sizes:
        methods[name]()
    seconds = {name: lab.seconds(f"{name}, {setting.windows} windows", methods[name], rounds=3) for name in sizes}
    return [[setting.windows, name, sizes[name] / 1e3, seconds[name]] for name in sizes]


def cost_claims(table: Table) -> list[Claim]:
    """That memory does not depend on the windows, and that the monotonic search is quicker than Stardust."""
    space = [row["kilobytes"] for row in table.where(method=BISECTED)]
    number = max(table.column("windows"))
    last = {row["method"]: row for row in table.where(windows=number)}
    other, ours = last[STARDUST], last[BISECTED]
    return [
        Claim(
            "The memory of a histogram does not depend on the number of windows.",
            f"{space[0]:.0f} kB for {min(table.column('windows'))} windows, {space[-1]:.0f} kB for {number}",
            space[0] == space[-1],
        ),
        Claim(
            "With many windows the monotonic search keeps less than Stardust.",
            f"{number} windows: {ours['kilobytes']:.0f} kB against {other['kilobytes']:.0f} kB",
            ours["kilobytes"] < other["kilobytes"],
        ),
        Claim(
            "With many windows the monotonic search is quicker than Stardust.",
            f"{number} windows: {other['seconds'] / ours['seconds']:.1f} times as quick",
            ours["seconds"] < other["seconds"],
        ),
    ]


def draw_costs(table: Table) -> Figure:
    """Space and time over the number of windows."""
    figure, (space, time) = panels(2, height=4.0)
    numbers = sorted(set(table.column("windows")))
    for axes, column, unit in ((space, "kilobytes", "kilobytes kept"), (time, "seconds", "seconds for the series")):
        series = {name: [row[column] for row in table.where(method=name)] for name in (BISECTED, STARDUST, WAVELET)}
        lines(axes, numbers, series, x_label="windows watched", y_label=unit)
        axes.set_yscale("log")
    return figure
