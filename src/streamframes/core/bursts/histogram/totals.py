"""What is counted of a group beside its histograms, and how far its sums can be off."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.exact.sums import EPSILON, VARIANCE, WHOLE
from streamframes.core.bursts.histogram.recent_rows import RECENT
from streamframes.core.jit.compiled import compiled

# What is kept of a group beside its histograms: rows, where recent ones begin, whether a value was no whole number.
ROWS, RECENT_FROM, ROUGH = range(3)
# And the sum of all values; for the variance, their mean and the sum of squared distances from it.
TOTAL, MEAN, SPREAD = range(3)


@compiled
def tally(aggregate: int, x: Any, numbers: Any, totals: Any) -> None:
    """Count rows in."""
    total, fractions = totals[TOTAL], 0
    for value in x:
        total += value
    if not numbers[ROUGH]:
        for value in x:
            fractions += value != np.floor(value)
        numbers[ROUGH] = fractions > 0
    totals[TOTAL] = total
    if aggregate == VARIANCE:
        end, mean, spread = numbers[ROWS], totals[MEAN], totals[SPREAD]
        for value in x:
            end += 1
            distance = value - mean
            mean += distance / end
            spread += distance * (value - mean)
        totals[MEAN], totals[SPREAD] = mean, spread
    numbers[ROWS] += x.size


@compiled
def is_exact(aggregate: int, x: Any, numbers: Any, totals: Any) -> bool:
    """Whether sums are exact, up to the end of these values."""
    if aggregate == VARIANCE or numbers[ROUGH]:
        return False
    fractions, total = 0, 0.0
    for value in x:
        total += value
        fractions += value != np.floor(value)
    return fractions == 0 and totals[TOTAL] + total < WHOLE


@compiled
def slack_of(aggregate: int, end: int, rough: bool, total: float) -> float:
    """How far sums can be off by rounding, relatively."""
    return (end / RECENT + 300.0) * EPSILON if rough or aggregate == VARIANCE or total >= WHOLE else 0.0
