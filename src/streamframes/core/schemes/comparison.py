"""Comparison: the operators of Delta and Aggregate, each as one question, whether a measure exceeds a bound."""

from __future__ import annotations

import numpy as np

from streamframes.core.jit.compiled import compiled

OPERATORS = ("<", "<=", ">", ">=")


def upper_bound(op: str, x: float) -> float:
    """The number that a measure exceeds where `<` or `<=` fails, and where `>` or `>=` holds.

    Comparing every operator as `measure > bound` keeps the kernels free of branches on it.
    """
    return float(x) if op in ("<=", ">") else float(np.nextafter(x, -np.inf))


@compiled
def exceeds(measure: float, bound: float, grows: bool) -> bool:
    """`measure > bound`; what is not a number fails `<` and fails `>` alike."""
    return not measure <= bound if grows else measure > bound
