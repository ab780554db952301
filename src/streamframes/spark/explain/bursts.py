"""What a search for bursts does, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.core.batch.clock import Clock
from streamframes.core.bursts.histogram.error_bound import error_bound
from streamframes.core.bursts.learning import Learn
from streamframes.core.bursts.plan import EXACT
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.explain.scan import packed_steps
from streamframes.spark.streaming.run import explain_stream

if TYPE_CHECKING:
    from streamframes.spark.planning.bursts import BurstQuery

_WAYS = {
    EXACT: "tiles of rows by windows are ruled out by the sum of all they cover; every alarm and value is exact",
    "all": "every window, by histograms: a tree of windows is ruled out by estimates",
    "monotonic": "bisection in the order of windows for log F(1): an approximation, whatever the error",
}


def explained(bursting: BurstQuery) -> str:
    """Which way the rows go, which search was chosen and why, and what it may get wrong."""
    settings = bursting.settings
    what = f"units of {_duration(settings['unit'], bursting.clock)}" if settings["unit"] else "rows"
    way = explain_stream(bursting.options)[:-1] if bursting.is_stream else [SHUFFLED]
    lines = [
        f"bursts {bursting.describe()}",
        *packed_steps(bursting, "the value"),
        *way,
        f"  search    {settings['search']}, because {bursting.why}: {_WAYS[settings['search']]}",
        f"  windows   {len(settings['windows'])}, in {what}; thresholds {_thresholds(settings['thresholds'])}",
    ]
    if settings["search"] != EXACT:
        side = {"never_miss": "never under the truth", "never_false": "never over the truth"}[settings["side"]]
        lines.append(f"  error     a sum is within {settings['error']:.3%} of the truth and {side}")
    if settings["search"] == "monotonic":
        lines.append(f"  bound     {_bound(settings['thresholds'], settings['error'])}")
    return "\n".join(lines)


def _duration(ticks: int, clock: Clock) -> str:
    if clock.kind == "integer":
        return f"{ticks} of ts"
    return f"{ticks} days" if clock.kind == "date" else f"{ticks / 1e6:g} seconds"


def _thresholds(thresholds: object) -> str:
    if isinstance(thresholds, Learn):
        return f"are learnt from the first {thresholds.rows:,} of each group: mean + {thresholds.sigmas} std"
    return "are given" if isinstance(thresholds, tuple) else "are given by group"


def _bound(thresholds: object, error: float) -> str:
    if not isinstance(thresholds, Learn):
        return "theorem 3 needs thresholds in standard deviations: learn them to have its bound"
    near, far = (error_bound(thresholds.sigmas, error, tolerance) for tolerance in (0.0, error))
    return (
        f"theorem 3: a window is answered wrongly with a probability of {far:.2g} at most where aggregates within "
        f"{error:.1%} of the threshold do not count, {near:.2g} where they do; it takes the stream for a fractal with "
        "normal aggregates, which bursts seldom are: measure before you rely on it"
    )
