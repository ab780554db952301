"""How good the monotonic search is: precision and recall against the exact one: `python -m benchmarks.bursts.accuracy`.

Generated traffic (bursts only, and on a background), and, where the files are there, packets of cellular networks and
requests of a web site (`--data FOLDER`). Windows are 4, 8, 12, ... rows; thresholds are learnt from the first tenth.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.csv as csv
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import track

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.bursts.engines import Engine, ExactEngine, HistogramEngine
from streamframes.core.bursts.exact.sums import AGGREGATES
from streamframes.core.bursts.histogram.approximate import ALL, MONOTONIC
from streamframes.core.bursts.learning import learnt_thresholds
from streamframes.data import packet_values
from streamframes.study.baselines.bursts.methods import Case, searched

ERRORS = (0.1, 0.01, 0.001)
SIGMAS = (3.0, 5.0, 7.0, 9.0)
NUMBERS = (50, 100, 400, 1_000)
FOLDER = Path(os.environ.get("STREAMFRAMES_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))


@dataclass(frozen=True)
class Setting:
    """What is searched, and how."""

    series: str
    agg: str = "sum"
    windows: int = 100
    sigmas: float = 7.0
    error: float = 0.01


@dataclass(frozen=True)
class Score:
    """How many alarms are true, found, and both, by the monotonic search and by that of every window."""

    true: int
    found: int
    both: int
    all_found: int
    all_both: int

    @property
    def precision(self) -> float:
        """The share of what was found that is true."""
        return self.both / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of what is true that was found."""
        return self.both / self.true if self.true else 1.0


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=1_000_000, rounds=None)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all settings on all series."""
    series = dict(series_of(options.rows))
    wanted = [setting for name in series for agg in ("sum", "variance") for setting in settings_of(name, agg)]
    wanted = [setting for setting in dict.fromkeys(wanted) if 40 * setting.windows <= series[setting.series].size]
    scores = {
        each: score(series[each.series], each) for each in track(wanted, "searching", console=console, transient=True)
    }
    return report_of(scores, options)


def series_of(rows: int) -> Iterator[tuple[str, np.ndarray]]:
    """The series by name."""
    for name, background in (("bursts only", 0), ("on a background", 40)):
        yield name, packet_values(rows, seed=0, background=background).astype(np.float64)
    cellular = FOLDER / "3_network" / "cellular_delivery_opportunities_mahimahi.parquet"
    if cellular.exists():
        table = pq.read_table(cellular)
        longest = max(table["trace"].value_counts().to_pylist(), key=lambda each: each["counts"])["values"]
        at = table.filter(pc.equal(table["trace"], longest))["t_ms"].to_numpy()
        yield "cellular, packets in 20 ms", np.bincount((at - at.min()) // 20).astype(np.float64)
    requests = FOLDER / "3_network" / "worldcup98_requests_per_min.csv.gz"
    if requests.exists():
        yield "web site, requests a minute", csv.read_csv(requests)["requests"].to_numpy().astype(np.float64)


def settings_of(series: str, agg: str) -> Iterator[Setting]:
    """Error, sigmas and windows, each by itself."""
    base = Setting(series, agg)
    yield from (replace(base, error=error) for error in ERRORS)
    yield from (replace(base, sigmas=sigmas) for sigmas in SIGMAS)
    yield from (replace(base, windows=windows) for windows in NUMBERS)


def score(values: np.ndarray, setting: Setting) -> Score:
    """Compare with the exact search."""
    aggregate = AGGREGATES[setting.agg]
    lengths = np.arange(4, 4 * setting.windows + 1, 4)
    thresholds = learnt_thresholds(aggregate, values[: values.size // 10], lengths, setting.sigmas)
    case = Case(setting.series, values, lengths, thresholds)
    true = _alarms(ExactEngine(aggregate), case, aggregate)
    engines = [
        HistogramEngine(aggregate, search, over=True, error=setting.error, counted=False) for search in (MONOTONIC, ALL)
    ]
    found, every = (_alarms(engine, case, aggregate) for engine in engines)
    both = [np.intersect1d(true, each, assume_unique=True).size for each in (found, every)]
    return Score(true.size, found.size, both[0], every.size, both[1])


def _alarms(engine: Engine, case: Case, aggregate: int) -> np.ndarray:
    """Alarms behind the training rows, a number each."""
    parts = []
    for batch in searched(engine, case, aggregate):
        alarms = batch.rows.astype(np.int64) * case.lengths.size + batch.which
        parts.append(alarms[batch.rows >= case.values.size // 10])
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


_MEASURED = ("precision", "recall", "precision of all", "recall of all")


def report_of(scores: dict[Setting, Score], options: Options) -> Report:
    """The table, and what must hold of the search of every window."""
    cells = [
        [
            setting.series, setting.agg, f"{setting.error:g}", f"{setting.sigmas:g}", f"{setting.windows}",
            f"{each.true:,}", f"{each.precision:.3f}", f"{each.recall:.3f}",
            f"{each.all_both / each.all_found if each.all_found else 1:.3f}",
            f"{each.all_both / each.true if each.true else 1:.3f}",
        ]
        for setting, each in scores.items()
    ]  # fmt: skip
    worst = min((each.all_both / each.true for each in scores.values() if each.true), default=1.0)
    return Report(
        name="bursts.accuracy",
        saved_as="burst_accuracy",
        title="The monotonic search against the exact one",
        header=["series", "aggregate", "error", "sigmas", "windows", "true alarms", *_MEASURED],
        cells=cells,
        measurements=[{**vars(setting), **vars(each)} for setting, each in scores.items()],
        targets=[Target("search='all', never_miss: recall", ">=", 1.0, worst, "")],
        settings={"rows": options.rows},
    )


if __name__ == "__main__":
    main()
