"""Methods that search one series for bursts: the library's own engines without Spark, and the baselines beside them.

Every method hands over its alarms so many at a time, so that no memory but its own is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from streamframes.core.bursts.arguments import search_of
from streamframes.core.bursts.batch import Alarms, Batch
from streamframes.core.bursts.engines import ALARMS_AT_ONCE, Engine, ExactEngine, HistogramEngine
from streamframes.core.bursts.exact.sums import SUM
from streamframes.core.bursts.histogram.approximate import ALL, MONOTONIC
from streamframes.core.bursts.histogram.recent_rows import RECENT
from streamframes.core.bursts.histogram.suffix_sums import FIELDS
from streamframes.core.bursts.thresholds import Thresholds
from streamframes.study.baselines.bursts import BASELINES

DEFAULT, BISECTED, EVERY = "default (exact)", "histogram, monotonic", "histogram, all"
BRUTE, WAVELET, STARDUST = BASELINES
# Stardust is slow, and its boxes do not fit for all.
SLOW_CELLS = 2_000_000_000


@dataclass(frozen=True)
class Case:
    """A series, and the windows that are watched."""

    name: str
    values: np.ndarray
    lengths: np.ndarray
    thresholds: np.ndarray

    @property
    def cells(self) -> int:
        """Rows times windows."""
        return self.values.size * self.lengths.size


def methods_of(case: Case) -> dict[str, Callable[[], int]]:
    """All methods that take part, each a function that returns the number of alarms."""

    def ours(make: Callable[[], Engine]) -> Callable[[], int]:
        return lambda: sum(batch.rows.size for batch in searched(make(), case))

    methods = {
        DEFAULT: ours(lambda: ExactEngine(SUM)),
        BISECTED: ours(lambda: HistogramEngine(SUM, MONOTONIC, over=True, error=0.01, counted=False)),
        EVERY: ours(lambda: HistogramEngine(SUM, ALL, over=True, error=0.01, counted=False)),
    }
    if search_of(None, "sum", int(case.lengths[-1]))[0] != "exact":
        raise AssertionError("the default is not the exact search")
    arguments = (case.values, case.lengths, case.thresholds, ALARMS_AT_ONCE)
    for name, method in BASELINES.items():
        if name != STARDUST or case.cells <= SLOW_CELLS:
            methods[name] = partial(_counted, method, arguments)
    return methods


def _counted(method: Callable[..., tuple[object, int]], arguments: tuple[object, ...]) -> int:
    return int(method(*arguments)[1])


def searched(engine: Engine, case: Case, aggregate: int = SUM) -> Iterator[Alarms]:
    """The alarms of a series, as one group in one feed."""
    watched = Thresholds(aggregate, case.lengths, case.thresholds[np.newaxis], set_of_group=np.zeros(1, np.int64))
    engine.grow(1)
    fed = Batch(np.zeros(1, np.int64), np.array([0, case.values.size]), case.values)
    yield from engine.search(fed, watched, one=False)


def histogram_bytes(buckets: int) -> int:
    """The bytes of so many buckets and of the most recent rows; a search adds nothing for its windows."""
    return 8 * (FIELDS * buckets + RECENT)


def kept(values: np.ndarray, error: float) -> int:
    """The bytes that a histogram keeps of a series, however many windows are watched."""
    engine, nothing = watching_nothing(error)
    for _ in engine.search(Batch(np.zeros(1, np.int64), np.array([0, values.size]), values), nothing, one=False):
        pass
    return histogram_bytes(int(engine.tables[0].sizes[0]))


def watching_nothing(error: float) -> tuple[HistogramEngine, Thresholds]:
    """An engine that keeps its histogram and searches no window."""
    engine = HistogramEngine(SUM, ALL, over=True, error=error, counted=False)
    engine.grow(1)
    return engine, Thresholds(SUM, np.empty(0, np.int64), np.empty((1, 0)), set_of_group=np.array([-1]))
