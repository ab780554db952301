"""Numbering: the group of each row of a file by number, without a fingerprint for each row.

Group values that come as a dictionary are looked up once for each value of it; texts and integers are looked up by a
quick hash. Of several group columns each is numbered by itself, and the numbers, put into one, are looked up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex, fingerprints, without_dictionary
from streamframes.core.files.keys.integers import Integers
from streamframes.core.files.keys.texts import Texts
from streamframes.core.jit.buffers import empty
from streamframes.core.jit.compiled import compiled

# Numbers of several columns are put into one of so many bits.
_BITS = 62


@compiled
def _look_up(codes: Any, numbers: Any, out: Any) -> None:
    for i in range(codes.size):
        out[i] = numbers[codes[i]]


@compiled
def _settle(codes: Any, numbers: Any) -> None:
    """Put numbers in the place of codes of values that were new."""
    for i in range(codes.size):
        if codes[i] < 0:
            codes[i] = numbers[-2 - codes[i]]


class KeyNumbers:
    """Numbers the groups of rows by an index."""

    def __init__(self, schema: pa.Schema, index: GroupIndex) -> None:
        self.schema = schema
        self.index = index
        self.texts = Texts()
        self.integers = Integers()
        self.columns = [_alone(field) for field in schema] if len(schema) > 1 else []

    def numbers(self, keys: Sequence[pa.Array], rows: int) -> np.ndarray | int:
        """The number of each row's group; one number where the keys say by themselves that all rows are of one."""
        if not keys:
            return int(self.index.numbers(*fingerprints([], 1), pa.RecordBatch.from_arrays([], schema=self.schema))[0])
        if len(keys) > 1:
            together = self._together(keys, rows)
            return self._by_fingerprints(keys) if together is None else self._looked_up(self.integers, together, keys)
        if pa.types.is_dictionary(keys[0].type):
            return self._by_dictionary(keys[0])
        return self._of_column(keys[0])

    def _of_column(self, array: pa.Array) -> np.ndarray:
        if pa.types.is_string(array.type) or pa.types.is_string_view(array.type):
            return self._looked_up(self.texts, array, [array])
        if _is_whole(array.type) and not array.null_count:
            return self._looked_up(self.integers, array, [array])
        return self._by_fingerprints([array])

    def _together(self, keys: Sequence[pa.Array], rows: int) -> pa.Array | None:
        """The numbers of all columns as one; None where they are too large for that."""
        bits = _BITS // len(keys)
        values = np.zeros(rows, np.int64)
        for column, array in zip(self.columns, keys, strict=True):
            numbers = column.numbers([array], rows)
            if len(column.index) > 1 << bits:
                return None
            values <<= bits
            values |= numbers
        return pa.array(values)

    def _looked_up(self, table: Texts | Integers, values: pa.Array, keys: Sequence[pa.Array]) -> np.ndarray:
        codes, fresh = table.look_up(values)
        if fresh.size:
            numbers = self._by_fingerprints([_taken(array, fresh) for array in keys])
            table.settle(_taken(values, fresh), numbers)
            _settle(codes, numbers)
        return codes

    def _by_fingerprints(self, keys: Sequence[pa.Array]) -> np.ndarray:
        plain = [without_dictionary(array).cast(field.type) for array, field in zip(keys, self.schema, strict=True)]
        first, second = fingerprints(plain, len(plain[0]))
        return self.index.numbers_of_rows(first, second, pa.RecordBatch.from_arrays(plain, schema=self.schema))

    def _by_dictionary(self, array: pa.DictionaryArray) -> np.ndarray | int:
        values = array.dictionary.cast(self.schema.field(0).type)
        codes = array.indices
        if array.null_count:
            values = pa.concat_arrays([values, pa.nulls(1, values.type)])
            codes = codes.fill_null(len(values) - 1)
        numbers = self._of_column(values)
        if numbers.size == 1:
            return int(numbers[0])
        out = empty(len(codes), np.int32)
        _look_up(codes.to_numpy(zero_copy_only=False), numbers.astype(np.int32, copy=False), out)
        return out


def _alone(field: pa.Field) -> KeyNumbers:
    """Numbers the values of one column."""
    schema = pa.schema([field])
    return KeyNumbers(schema, GroupIndex(schema))


def _is_whole(kind: pa.DataType) -> bool:
    """Whether values are compared as integers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_date32(kind) or pa.types.is_timestamp(kind))


def _taken(array: pa.Array, rows: np.ndarray) -> pa.Array:
    """Some rows; of views as texts, because PyArrow does not take views."""
    if not pa.types.is_string_view(array.type):
        return array.take(pa.array(rows))
    _, views, *texts = array.buffers()
    chosen = pa.py_buffer(np.frombuffer(views, "V16")[array.offset :][rows])
    valid = array.is_valid().take(pa.array(rows)).buffers()[1]
    return pa.Array.from_buffers(array.type, rows.size, [valid, chosen, *texts]).cast(pa.string())
