"""Given values: the instants and columns of a trial, as Python, NumPy, pandas, Polars or Arrow have them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.schemes.base import Input, Scheme
from streamframes.errors import InvalidArgument, StreamFramesError

# A list, a range, a NumPy array, a Series of pandas or Polars, an array of Arrow.
Values: TypeAlias = Sequence[Any] | Any

MOST_SHOWN = 3
_KINDS = {"condition": "True or False", "number": "numbers"}


def brief(name: str, values: Values) -> str:
    """Some values of an argument, for a message.

    >>> brief("ts", range(9)), brief("v", [1.5])
    ('ts=[0, 1, 2, ...]', 'v=[1.5]')
    """
    shown = [repr(each)[:80] for each in list(values[:MOST_SHOWN])]
    return f"{name}=[{', '.join(shown + ['...'] * (len(values) > MOST_SHOWN))}]"


@dataclass(frozen=True)
class Instants:
    """Instants as whole ticks of a clock, and the type that they are shown in."""

    ticks: list[int]
    clock: Clock
    type: pa.DataType


def instants_of(ts: Values) -> Instants:
    """Whole numbers, timestamps or dates; none may be missing."""
    array = _arrow("ts", ts)
    kind = array.type
    if array.null_count or not (
        pa.types.is_integer(kind) or pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_null(kind)
    ):
        raise InvalidArgument(f"{brief('ts', ts)} must be whole numbers, datetimes or dates, and none may be missing")
    if pa.types.is_timestamp(kind):
        _check_zones(ts)
        whole = _cast("ts", ts, array, pa.timestamp("us", kind.tz))
        return Instants(whole.cast(pa.int64()).to_pylist(), Clock("timestamp"), whole.type)
    if pa.types.is_date(kind):
        days = _cast("ts", ts, array, pa.date32())
        return Instants(days.cast(pa.int32()).to_pylist(), Clock("date"), days.type)
    return Instants(_cast("ts", ts, array, pa.int64()).to_pylist(), Clock("integer"), pa.int64())


def inputs_of(scheme: Scheme, columns: Mapping[str, Values]) -> list[pa.Array]:
    """The inputs of a scheme: its expressions over the columns; else what the columns of their names give."""
    arrays = {name: _arrow(name, values) for name, values in columns.items()}
    return [_evaluated(scheme, each, columns, arrays) for each in scheme.inputs()]


def typed(name: str, values: Values, needed: Input) -> pa.Array:
    """Values in the type that an input has."""
    array = _arrow(name, values)
    if needed.kind == "condition":
        wanted = pa.bool_()
    elif needed.kind == "number" and not pa.types.is_integer(array.type):
        wanted = pa.float64()
    else:
        return array
    right = pa.types.is_boolean if needed.kind == "condition" else _is_number
    if not (right(array.type) or pa.types.is_null(array.type)):
        raise InvalidArgument(f"{brief(name, values)} must be {_KINDS[needed.kind]}")
    return array.cast(wanted)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _evaluated(
    scheme: Scheme, needed: Input, columns: Mapping[str, Values], arrays: Mapping[str, pa.Array]
) -> pa.Array:
    """The expression of an input over the columns."""
    from streamframes.core.sparksql import Untranslatable, translate  # it takes a while to load

    text = needed.expression
    name = type(scheme).__name__
    if not isinstance(text, str):
        if needed.name in columns:
            return typed(needed.name, columns[needed.name], needed)
        raise InvalidArgument(
            f"{name} got a Column of Spark as {needed.name}; write it as text, or give {needed.name}="
        )
    batch = pa.RecordBatch.from_arrays(list(arrays.values()), list(arrays))
    try:
        array = translate(text, batch.schema).evaluate(batch)
    except Untranslatable as why:
        if needed.name in columns:
            return typed(needed.name, columns[needed.name], needed)
        raise InvalidArgument(
            f"{name} needs {needed.name}={text!r}, and the columns are {', '.join(arrays) or 'none'}: {why}; give the "
            f"columns that it names, or its values as {needed.name}=, or use frames() with Spark"
        ) from None
    except StreamFramesError as why:
        raise InvalidArgument(f"{name} got {needed.name}={text!r}: {why}") from None
    return typed(text, columns.get(text, array), needed)


def _arrow(name: str, values: Values) -> pa.Array:
    try:
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values).combine_chunks()
        return values if isinstance(values, pa.Array) else pa.array(values, from_pandas=False)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as why:
        raise InvalidArgument(f"{brief(name, values)} must be values of one type: {why}") from None


def _cast(name: str, values: Values, array: pa.Array, kind: pa.DataType) -> pa.Array:
    try:
        return array.cast(kind)
    except pa.ArrowInvalid as why:
        raise InvalidArgument(f"{brief(name, values)} must be instants of whole microseconds: {why}") from None


def _check_zones(ts: Values) -> None:
    """Arrow would take instants without an offset to be in UTC where others have one."""
    offsets = {each.tzinfo is not None for each in ts if isinstance(each, dt.datetime)}
    if len(offsets) > 1:
        raise InvalidArgument(f"{brief('ts', ts)} has datetimes with and without a time zone; give all of them one")
