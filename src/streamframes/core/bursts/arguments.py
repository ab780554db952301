"""Arguments: windows, thresholds and the choice of a search, checked before anything runs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import SupportsFloat, SupportsIndex, TypeAlias

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.bursts.engines import LEAST_BLOCK
from streamframes.core.bursts.exact.sums import AGGREGATES
from streamframes.core.bursts.learning import Learn
from streamframes.core.bursts.plan import EXACT, SEARCHES
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument

# Up to here the exact search keeps no more than 1.6 MB of a group, and is what is chosen.
EXACT_LONGEST = 100_000
_ONLY_EXACT = ("min", "max")

# A number of rows or of units, or a duration.
Window: TypeAlias = SupportsIndex | Duration


def unit_ticks(unit: Duration | None, clock: Clock) -> int | None:
    """The length of a unit of time."""
    if unit is None:
        return None
    check_duration(unit, "unit")
    return clock.ticks(unit, "unit")


def window_of(window: Window, unit: int | None, clock: Clock) -> int:
    """A window as a number of rows, or of units."""
    if isinstance(window, SupportsIndex) and not isinstance(window, bool):
        length = int(window)
        if length < 1:
            raise InvalidArgument(f"bursts() got the window {length!r}; a window has 1 row or more")
        return length
    if unit is None:
        raise InvalidArgument(
            f"bursts() got the window {window!r}; windows are whole numbers of rows, or durations together with unit="
        )
    check_duration(window, "windows")
    count, rest = divmod(clock.ticks(window, "windows"), unit)
    if rest:
        raise InvalidArgument(f"bursts() got the window {window!r}, which is no whole number of units; change unit=")
    return count


def windows_of(windows: Iterable[Window], unit: int | None, clock: Clock) -> tuple[int, ...]:
    """Windows, each as a number of rows, or of units; they must ascend."""
    if isinstance(windows, str) or not isinstance(windows, Iterable):
        raise InvalidArgument(f"bursts() got windows={windows!r}; give several, like range(4, 404, 4)")
    lengths = [window_of(window, unit, clock) for window in windows]
    if not lengths:
        raise InvalidArgument(f"bursts() got windows={windows!r}, which holds none; give some, like range(4, 404, 4)")
    for before, after in itertools.pairwise(lengths):
        if after <= before:
            raise InvalidArgument(
                f"bursts() got windows in which {after} comes after {before}; let them ascend, each once: "
                "sorted(set(windows))"
            )
    return tuple(lengths)


def threshold_of(value: object, window: int) -> float:
    """One threshold."""
    if isinstance(value, bool) or not isinstance(value, SupportsFloat) or not math.isfinite(float(value)):
        raise InvalidArgument(f"bursts() got the threshold {value!r} for the window {window}; give a finite number")
    return float(value)


def thresholds_of(
    thresholds: object, windows: tuple[int, ...], unit: int | None, clock: Clock
) -> tuple[float, ...] | Learn:
    """A threshold for each window, or how they are learnt."""
    if isinstance(thresholds, Learn):
        if thresholds.rows < windows[-1]:
            raise InvalidArgument(
                f"bursts() got thresholds={thresholds!r} for windows of up to {windows[-1]}; learn from as many rows "
                f"at least: Learn(sigmas={thresholds.sigmas}, rows={10 * windows[-1]})"
            )
        return thresholds
    if isinstance(thresholds, Mapping):
        given = {window_of(window, unit, clock): value for window, value in thresholds.items()}
        missing = [window for window in windows if window not in given]
        if missing:
            raise InvalidArgument(
                f"bursts() got thresholds without one for the window {missing[0]}, {len(missing)} of {len(windows)} "
                "missing; give one for each of windows="
            )
        return tuple(threshold_of(given[window], window) for window in windows)
    if callable(thresholds):
        return tuple(threshold_of(thresholds(window), window) for window in windows)
    raise InvalidArgument(
        f"bursts() got thresholds={thresholds!r}; give a mapping of windows to numbers, a function of the window, a "
        "table of thresholds, or Learn(sigmas=7, rows=10_000)"
    )


def search_of(search: str | None, agg: str, longest: int | None) -> tuple[str, str]:
    """How windows are searched, and why; the longest of them may not be known yet."""
    check_choice(agg, "agg", tuple(AGGREGATES))
    if search is None:
        if agg in _ONLY_EXACT:
            return EXACT, f"{agg} has no histogram"
        if longest is None:
            return EXACT, f"no window of the table is longer than {EXACT_LONGEST:,}; else it is 'all'"
        if longest <= EXACT_LONGEST:
            return EXACT, f"the longest window, {longest:,}, keeps {_kept(longest)} of a group at most"
        return (
            "all",
            f"the longest window, {longest:,}, would keep {_kept(longest)} of each group; say 'exact' to have it so",
        )
    check_choice(search, "search", SEARCHES)
    if agg in _ONLY_EXACT and search != EXACT:
        raise InvalidArgument(f"bursts() got search={search!r} for agg={agg!r}, which has no histogram; use 'exact'")
    return search, "you said so"


def _kept(longest: int) -> str:
    size = 8 * (max(longest, LEAST_BLOCK) + longest)
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
