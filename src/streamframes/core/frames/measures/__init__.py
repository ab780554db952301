"""Measures: aggregates over the rows of each frame, in the same pass that finds or fills the frames.

Entry point: `Measure` says what is wanted, `accumulators` gives the running totals that rows are added to. Used by
the operators of frames and fill, and by planning.
"""

from streamframes.core.frames.measures.accumulators import Accumulator, accumulators
from streamframes.core.frames.measures.measure import MEASURES, Carry, Function, Measure

__all__ = ["MEASURES", "Accumulator", "Carry", "Function", "Measure", "accumulators"]
