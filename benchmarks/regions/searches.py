"""Regions, one core, no Spark: grids of 1,000 places, and points that form no grid: `python -m benchmarks.regions`.

The condition holds in jams (wedges that run against the places as time goes on, with noise), or at random in a share of
all reports. All maximal rectangles are found by both methods, without minimums, and connected regions; resolved reports
come in feeds of 200 columns. Points are reports of vehicles, each at a place and an instant of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.progress import track

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.batch.clock import Clock
from streamframes.core.regions.connected.search import ConnectedSearch
from streamframes.core.regions.group_search import GroupSearch
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.regions.rectangles.grid import GridSearch
from streamframes.core.regions.rectangles.scattered import ScatteredSearch
from streamframes.core.regions.types import END, Columns, Limits, Search

PLACES, FEED = 1_000, 200
ROAD = 100_000.0
SEARCHES: dict[str, Callable[[], Search]] = {
    "rectangles, durations": lambda: GridSearch(Limits()),
    "rectangles, spans": lambda: ScatteredSearch(Limits()),
    "connected": lambda: ConnectedSearch(min_duration=2**40),
    "connected, with shapes": lambda: ConnectedSearch(min_times=50),
}
NO_PLACES = np.empty(0, np.int64)


@dataclass(frozen=True)
class Timed:
    """A search over a grid or points: how many reports, how many regions, and the seconds of the best round."""

    reports: str
    search: str
    n_reports: int
    n_regions: int
    seconds: float


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=10_000_000, rounds=3)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all searches."""
    columns = max(1, options.rows // PLACES)
    grids = {
        "jams": jams(columns),
        "jams, a quarter": jams(max(1, columns // 4)),
        "random, 50 %": _random(columns, 0.5),
        "random, 90 %": _random(columns, 0.9),
    }
    cases = [(name, search) for name in grids for search in SEARCHES]
    # The outline of one region that is most of a random grid is no use to anybody.
    cases = [(name, search) for name, search in cases if "shapes" not in search or "jams" in name]
    found = []
    for name, search in track(cases, "searching", console=console, transient=True):
        found.append(timed(name, search, grids[name], options.rounds))
    found += [points(n, options.rounds) for n in (20_000, 100_000) if n <= options.rows]
    return report_of(found, options)


def jams(columns: int, seed: int = 0) -> np.ndarray:
    """Wedges that grow upstream and dissolve: one for every 20,000 reports, and 1 % of the reports against it."""
    random = np.random.default_rng(seed)
    held = np.zeros((columns, PLACES), np.bool_)
    for _ in range(max(1, columns * PLACES // 20_000)):
        first, place = random.integers(0, columns), random.integers(0, PLACES)
        length, width = random.integers(20, 120), random.integers(5, 60)
        for k in range(first, min(columns, first + length)):
            reach = int(width * (k - first) / length)
            held[k, max(0, place - reach) : place] = True
    return held ^ (random.random(held.shape) < 0.01)


def _random(columns: int, share: float) -> np.ndarray:
    return np.random.default_rng(1).random((columns, PLACES)) < share


def timed(name: str, which: str, held: np.ndarray, rounds: int) -> Timed:
    """The fastest of some rounds, after one on a few columns that compiles."""
    _search(which, held[:10])
    seconds, n_regions = [], 0
    for _ in range(rounds):
        start = time.perf_counter()
        n_regions = _search(which, held)
        seconds.append(time.perf_counter() - start)
    return Timed(name, which, held.size, n_regions, min(seconds))


def _search(which: str, held: np.ndarray) -> int:
    """The number of regions of a grid."""
    search = SEARCHES[which]()
    search.add_places(NO_PLACES, np.arange(float(PLACES))[:, None], np.zeros(PLACES, np.bool_))
    slots = np.tile(np.arange(PLACES), FEED)
    n_regions = 0
    for first in range(0, held.shape[0], FEED):
        part = held[first : first + FEED]
        n = part.shape[0]
        times, bounds = np.arange(first, first + n), np.arange(n + 1) * PLACES
        n_regions += len(search.feed(Columns(times, bounds, slots[: part.size], part.ravel().view(np.uint8))))
    return n_regions + len(search.finish(END))


def points(n: int, rounds: int) -> Timed:
    """Vehicles on a road report where they are; in jams the condition holds. Regions are at least 500 long."""
    random = np.random.default_rng(2)
    at, ts = random.random((n, 1)) * ROAD, np.arange(n)
    slow = ((at[:, 0] // 5_000 + ts // 2_000) % 3 == 0).astype(np.uint8)
    kinds = (pa.float64(), pa.int8())
    plan = RegionPlan(
        Clock("integer"), pa.schema([]), pa.int64(), kinds, ("at",), kinds[:1], limits=Limits(extent=(500.0,))
    )
    seconds, n_regions = [], 0
    for _ in range(rounds + 1):
        search = GroupSearch(plan, np.empty((0, 1)), live=False)
        start = time.perf_counter()
        n_regions = sum(len(found) for found, _, _ in (*search.feed(ts, at, slow, None), *search.finish()))
        seconds.append(time.perf_counter() - start)
    return Timed(f"{n:,} points", "rectangles, spans", n, n_regions, min(seconds))


def report_of(found: list[Timed], options: Options) -> Report:
    """What was measured, and what was promised."""
    best = {(each.reports, each.search): each for each in found}
    whole, quarter = best["jams", "connected"], best["jams, a quarter", "connected"]
    growth = (whole.seconds / whole.n_reports) / (quarter.seconds / quarter.n_reports)
    return Report(
        name="regions",
        title=f"Regions of {PLACES:,} places x {options.rows // PLACES:,} times, one core",
        header=["reports", "search", "seconds", "M reports/s", "regions", "ns a report and region"],
        cells=[
            [
                each.reports,
                each.search,
                f"{each.seconds:.2f}",
                f"{each.n_reports / each.seconds / 1e6:.1f}",
                f"{each.n_regions:,}",
                f"{each.seconds / (each.n_reports + each.n_regions) * 1e9:.0f}",
            ]
            for each in found
        ],
        measurements=[vars(each) for each in found],
        targets=[
            *(
                Target(f"{each.reports}: {each.search}", "<", 5, each.seconds, "s")
                for each in found
                if each.n_reports == whole.n_reports
            ),
            Target("connected: time a report, all / a quarter", "<=", 1.3, growth),
        ],
        settings={"reports": options.rows, "rounds": options.rounds},
        notes=(
            "Rectangles without minimums; of connected regions none is reported, or those of 50 columns with shapes.",
            "On a grid a column costs O(places) and O(1) for each region that ends there: at most as many as places.",
        ),
    )
