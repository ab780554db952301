"""What a search for bursts does, in words."""

from __future__ import annotations

from streamframes.core.batch.clock import Clock
from streamframes.core.bursts.histogram.error_bound import error_bound
from streamframes.core.bursts.learning import Learn
from streamframes.core.bursts.plan import EXACT, BurstSettings

_SEARCHES = {
    EXACT: "tiles of rows by windows are ruled out by the sum of all they cover; every alarm and value is exact",
    "all": "every window, by histograms: a tree of windows is ruled out by estimates",
    "monotonic": "bisection in the order of windows for log F(1): an approximation, whatever the error",
}


def search_steps(settings: BurstSettings, clock: Clock, why: str) -> list[str]:
    """Which search was chosen and why, and what it may get wrong."""
    what = f"units of {_duration(settings['unit'], clock)}" if settings["unit"] else "rows"
    windows = str(len(settings["windows"]) or "those of the table")
    lines = [
        f"  search    {settings['search']}, because {why}: {_SEARCHES[settings['search']]}",
        f"  windows   {windows}, in {what}; thresholds {_thresholds(settings)}",
    ]
    if settings["search"] != EXACT:
        side = {"never_miss": "never under the truth", "never_false": "never over the truth"}[settings["error_side"]]
        lines.append(f"  error     a sum is within {settings['error']:.3%} of the truth and {side}")
    if settings["search"] == "monotonic":
        lines.append(f"  bound     {_bound(settings['thresholds'], settings['error'])}")
    return lines


def _duration(ticks: int, clock: Clock) -> str:
    if clock.kind == "integer":
        return f"{ticks} of ts"
    return f"{ticks} days" if clock.kind == "date" else f"{ticks / 1e6:g} seconds"


def _thresholds(settings: BurstSettings) -> str:
    thresholds = settings["thresholds"]
    if settings["unread"] is not None:
        return "are given by group, in a table that is read when a result is used"
    if isinstance(thresholds, Learn):
        return f"are learnt from the first {thresholds.rows:,} of each group: mean + {thresholds.sigmas} std"
    return "are given"


def _bound(thresholds: object, error: float) -> str:
    if not isinstance(thresholds, Learn):
        return "theorem 3 needs thresholds in standard deviations: learn them to have its bound"
    near, far = (error_bound(thresholds.sigmas, error, tolerance) for tolerance in (0.0, error))
    return (
        f"theorem 3: a window is answered wrongly with a probability of {far:.2g} at most where aggregates within "
        f"{error:.1%} of the threshold do not count, {near:.2g} where they do; it takes the stream for a fractal with "
        "normal aggregates, which bursts seldom are: measure before you rely on it"
    )
