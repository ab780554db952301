"""Bounds: between which values a column lies in each of some files or row groups, as far as that is known."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Mask = npt.NDArray[np.bool_]
_EXACT = Context(prec=100)
_STORED = {pa.date32(): pa.int32()}


@dataclass(frozen=True)
class Bounds:
    """A lower and an upper bound of the values in each place; null where none is known.

    `nulls` says where there may be nulls, `values` where there may be anything else.
    """

    low: pa.Array
    high: pa.Array
    nulls: Mask
    values: Mask


def unknown(n: int, kind: pa.DataType) -> Bounds:
    """Anything may be anywhere."""
    return Bounds(pa.nulls(n, kind), pa.nulls(n, kind), np.ones(n, np.bool_), np.ones(n, np.bool_))


def constants(values: pa.Array) -> Bounds:
    """One value in each place, or nothing but nulls."""
    is_value = np.asarray(values.is_valid())
    return Bounds(values, values, ~is_value, is_value)


def statistics(low: pa.Array, high: pa.Array, nulls: Mask, values: Mask, no_nan: Mask | None = None) -> Bounds:
    """What statistics say. They pass over NaN, which is above all numbers: `high` is a bound where there is none."""
    if pa.types.is_floating(low.type):
        low, high = (pa.array(each.to_numpy(zero_copy_only=False), each.type, from_pandas=True) for each in (low, high))
        unbounded = np.ones(len(high), np.bool_) if no_nan is None else ~no_nan
        high = pa.array(np.where(unbounded, math.nan, high.to_numpy(zero_copy_only=False)), high.type, from_pandas=True)
    return Bounds(low, high, nulls, values)


def array_of(found: Sequence[object], kind: pa.DataType) -> pa.Array:
    """Values, instants and dates as their numbers, in a type; null where one has no place in it."""
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        stored = _STORED.get(kind, pa.int64())
        return pa.array([_held(each, stored) for each in found], stored).view(kind)
    return pa.array([_held(each, kind) for each in found], kind)


def _held(value: object, kind: pa.DataType) -> object:
    try:
        return pa.scalar(value, kind).as_py()
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        return None


def widened(values: pa.Array, ticks: int) -> pa.Array:
    """Instants that are so many microseconds later; null where there are none."""
    moved = [None if each is None else each + ticks for each in values.view(pa.int64()).to_pylist()]
    return array_of(moved, values.type)


def decimals_beyond(values: pa.Array, sign: int) -> pa.Array:
    """Decimals a little below (-1) or above (1): further than they may be off that were once doubles."""
    unit = Decimal((0, (1,), -values.type.scale))
    found = []
    for each in values.to_pylist():
        if each is not None:
            slack = _EXACT.multiply(abs(each), Decimal(2) ** -50).quantize(unit, context=_EXACT)
            each = _EXACT.add(each, _EXACT.multiply(_EXACT.add(slack, unit), Decimal(sign)))
        found.append(each)
    return array_of(found, values.type)
