"""Bursts: how good approximate searches of many window lengths are, and what they cost beside exact methods.

References
----------
Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
figures 5 to 9.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace

import numpy as np
from matplotlib.figure import Figure

from streamframes.study.baselines.burst_costs import cost_claims, costs, draw_costs
from streamframes.study.data.burst_series import Series, Setting, series_of
from streamframes.study.kit import Lab, Need, Study
from streamframes.study.report.charts import lines, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table

AGGREGATES = ("sum", "variance")
VARIED: dict[str, tuple[float, ...]] = {
    "error": (0.1, 0.01, 0.001),
    "sigmas": (3.0, 5.0, 7.0, 9.0),
    "windows": (50, 100, 200),
}
LABELS = {"error": "error of the histogram", "sigmas": "deviations above the mean", "windows": "windows watched"}
SEARCHES = ("all", "monotonic")
HIGH = 0.99
COLUMNS = (*Setting.__dataclass_fields__, "true alarms", "search", "precision", "recall")


def run(lab: Lab) -> Outcome:
    """Compare both approximate searches with the exact one, then their costs with those of exact methods."""
    series = series_of(lab)
    accuracy = _accuracy(lab, series)
    spent = costs(lab, series)
    return Outcome(
        data=lab.named("A made-up link that sends bursts of packets") + f"{series.name}; {_size(series)}",
        tables=[accuracy, spent],
        pictures=[
            Picture(
                "accuracy",
                "Precision and recall of both approximate searches against the exact one",
                lambda: _drawn(accuracy),
            ),
            Picture("costs", "Space and time over the number of windows", lambda: draw_costs(spent)),
        ],
        claims=[*_claims(accuracy), *cost_claims(spent)],
        settings={"base": asdict(Setting()), **VARIED},
    )


def _size(series: Series) -> str:
    what = "values" if series.unit is None else f"units of {series.unit}, in which rows are counted"
    return f"the series has {series.values.size:,} {what}"


def settings_of(agg: str, rows: int) -> Iterator[Setting]:
    """Each of error, sigmas and windows by itself; windows must be short enough to be learnt."""
    wanted = [_varied(Setting(agg), name, value) for name, values in VARIED.items() for value in values]
    yield from dict.fromkeys(each for each in wanted if 40 * each.windows <= rows)


def _varied(base: Setting, name: str, value: float) -> Setting:
    if name == "windows":
        return replace(base, windows=int(value))
    return replace(base, error=value) if name == "error" else replace(base, sigmas=value)


def _accuracy(lab: Lab, series: Series) -> Table:
    true: dict[Setting, np.ndarray] = {}
    found = []
    for setting in (each for agg in AGGREGATES for each in settings_of(agg, series.values.size)):
        plain = replace(setting, error=Setting().error)
        if plain not in true:
            true[plain] = series.alarms(lab, plain, "exact")
        for search in SEARCHES:
            alarms = series.alarms(lab, setting, search)
            found.append([*asdict(setting).values(), true[plain].size, search, *_scores(true[plain], alarms)])
    return Table("accuracy", "Alarms of approximate searches against those of the exact one", COLUMNS, found)


def _scores(true: np.ndarray, alarms: np.ndarray) -> tuple[float, float]:
    """Precision and recall; of nothing, 1.

    >>> _scores(np.array([1, 2, 3]), np.array([2, 3, 4, 5]))
    (0.5, 0.6666666666666666)
    """
    both = np.intersect1d(true, alarms, assume_unique=True).size
    return both / alarms.size if alarms.size else 1.0, both / true.size if true.size else 1.0


def _claims(table: Table) -> list[Claim]:
    every = table.where(search="all")
    fine = [row for row in every if row["error"] <= 0.01]
    recall, precision = min(row["recall"] for row in every), min(row["precision"] for row in fine)
    claims = [
        Claim(
            "A histogram of every window that estimates too high misses no alarm.", f"recall {recall:.3f}", recall == 1
        ),
        Claim(
            "With an error of 1 % or less, at least 99 % of its alarms are true.",
            f"precision at least {precision:.3f}",
            precision >= HIGH,
        ),
    ]
    for agg in AGGREGATES:
        rows = [row for row in table.where(search="monotonic", agg=agg) if row["true alarms"]]
        worst = [min((row[name] for row in rows), default=1.0) for name in ("precision", "recall")]
        claims.append(
            Claim(
                f"The monotonic search of {agg} has a precision and a recall of at least 99 %.",
                f"precision at least {worst[0]:.3f}, recall at least {worst[1]:.3f}",
                min(worst) >= HIGH if rows else None,
            )
        )
    return claims


def _drawn(table: Table) -> Figure:
    figure, axes = panels(len(VARIED), len(AGGREGATES), width=11, height=6.5, sharey=True)
    places = iter(axes)
    for agg in AGGREGATES:
        for name in VARIED:
            fixed = {other: getattr(Setting(), other) for other in VARIED if other != name}
            rows = {search: table.where(agg=agg, search=search, **fixed) for search in SEARCHES}
            curves = {
                f"{measure}, {search}": [row[measure] for row in sorted(rows[search], key=lambda row: row[name])]
                for search in SEARCHES
                for measure in ("precision", "recall")
            }
            panel = next(places)
            lines(
                panel,
                sorted(row[name] for row in rows["all"]),
                curves,
                x_label=LABELS[name],
                y_label=f"share of alarms of {agg}",
                legend=False,
            )
            panel.set_ylim(-0.03, 1.05)
            if name == "error":
                panel.set_xscale("log")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


STUDY = Study(
    name="bursts",
    title="Many window lengths at once: precision, recall, space and time",
    paper="Qin et al. 2006, figures 5 to 9",
    rows=200_000,
    counted="rows",
    needs=(
        Need("ts", "when", ("t_ms", "cast(time AS timestamp)")),
        Need("value", "to be added up, else rows are counted", ("requests", "bytes"), optional=True, kind="number"),
        Need("series", "which of several series; the longest is taken", ("trace", "link"), optional=True),
    ),
    run=run,
    least=4_000,
)
