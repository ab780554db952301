"""Accumulators: the running totals of each measure of a plan."""

from __future__ import annotations

from collections.abc import Sequence

from streamframes.core.frames.measures.first_last import FirstLastAccumulator
from streamframes.core.frames.measures.measure import Measure
from streamframes.core.frames.measures.numbers import NumberAccumulator
from streamframes.core.frames.measures.user_folds import FoldAccumulator

Accumulator = NumberAccumulator | FirstLastAccumulator | FoldAccumulator


def accumulators(measures: Sequence[Measure], n_lanes: int) -> list[Accumulator]:
    """Fresh accumulators for the measures of a plan."""
    return [_accumulator(measure, n_lanes) for measure in measures]


def _accumulator(measure: Measure, n_lanes: int) -> Accumulator:
    if measure.fold is not None:
        return FoldAccumulator(measure, measure.fold, n_lanes)
    return (FirstLastAccumulator if measure.function in ("first", "last") else NumberAccumulator)(measure, n_lanes)
