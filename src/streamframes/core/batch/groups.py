"""Groups: 128-bit fingerprints of group values, and the numbers that stand for groups in state.

Group values of any type and number are reduced to two independent 64-bit hashes, by value and not by layout:
the same group has the same fingerprint in a table, in a stream, in a file and after a restart. Two groups
differ if any of 128 bits does, so that a clash would need about 10^18 groups. The first half goes into `frame_id`
and places the group in a bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.group_values import as_text, with_one_zero
from streamframes.core.batch.tree import Tree, array_at, tree_at
from streamframes.core.jit.compiled import compiled

_INTEGERS, _FLOATS, _TEXT, _NULL = 0x51ED270B, 0x2545F491, 0x632BE59B, 0x9E3779B9


@compiled
def mix(value: Any) -> Any:
    """The finalizer of splitmix64: every input bit moves every output bit."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


@compiled
def _absorb_integers(values: Any, valid: Any, tag: Any, first: Any, second: Any) -> None:
    for i in range(values.size):
        value = np.uint64(values[i]) if valid.size == 0 or valid[i] else np.uint64(_NULL) ^ tag
        first[i] = mix(first[i] * np.uint64(3) + mix(value + tag))
        second[i] = mix(second[i] + mix(value ^ (tag << np.uint64(32))) + np.uint64(0x165667B19E3779F9))


@compiled
def _digest_text(offsets: Any, data: Any, valid: Any, out: Any, again: Any) -> None:
    for i in range(offsets.size - 1):
        a = np.uint64(0xCBF29CE484222325)
        b = np.uint64(0x84222325CBF29CE4)
        if valid.size and not valid[i]:
            out[i], again[i] = np.uint64(_NULL), np.uint64(_NULL)
            continue
        for j in range(offsets[i], offsets[i + 1]):
            byte = np.uint64(data[j])
            a = (a ^ byte) * np.uint64(0x100000001B3)
            b = (b + byte) * np.uint64(0x9E3779B97F4A7C15) ^ (b >> np.uint64(29))
        out[i], again[i] = a, b + np.uint64(offsets[i + 1] - offsets[i])


@compiled
def _absorb_digests(digest: Any, again: Any, first: Any, second: Any) -> None:
    for i in range(digest.size):
        first[i] = mix(first[i] * np.uint64(3) + mix(digest[i] + np.uint64(_TEXT)))
        second[i] = mix(second[i] + mix(again[i]) + np.uint64(0x27D4EB2F165667C5))


@compiled
def _number_groups(first: Any, second: Any, table: Any, codes: Any, seen: Any, n_seen: int) -> int:
    """Dense numbers for fingerprints by open addressing; `seen` collects where each number was met first."""
    mask = table.shape[0] - 1
    for i in range(first.size):
        at = np.int64(first[i] & np.uint64(mask))
        while table[at, 2] and (table[at, 0] != first[i] or table[at, 1] != second[i]):
            at = (at + 1) & mask
        if not table[at, 2]:
            table[at, 0], table[at, 1], table[at, 2] = first[i], second[i], np.uint64(n_seen + 1)
            seen[n_seen] = i
            n_seen += 1
        codes[i] = np.int64(table[at, 2]) - 1
    return n_seen


@compiled
def _find_groups(first: Any, second: Any, table: Any, codes: Any) -> None:
    mask = table.shape[0] - 1
    for i in range(first.size):
        at = np.int64(first[i] & np.uint64(mask))
        while table[at, 2] and (table[at, 0] != first[i] or table[at, 1] != second[i]):
            at = (at + 1) & mask
        codes[i] = np.int64(table[at, 2]) - 1


def validity(array: pa.Array) -> np.ndarray:
    """A mask of the values that are there; empty where all are."""
    if array.null_count == 0:
        return np.empty(0, np.bool_)
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False))


def fingerprints(arrays: Sequence[pa.Array], rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Two uint64 hashes a row over the group columns, independent of Arrow layout and time zone."""
    first = np.full(rows, 0x9E3779B97F4A7C15, np.uint64)
    second = np.full(rows, 0xC2B2AE3D27D4EB4F, np.uint64)
    for array in arrays:
        _absorb(array, first, second)
    return first, second


def _absorb(array: pa.Array, first: np.ndarray, second: np.ndarray) -> None:
    kind = array.type
    if pa.types.is_dictionary(kind):
        if array.null_count or not pa.types.is_string(kind.value_type):
            _absorb(array.dictionary_decode(), first, second)
        else:
            digest, again = _digests(array.dictionary)
            places = array.indices.to_numpy()
            _absorb_digests(digest[places], again[places], first, second)
    elif pa.types.is_floating(kind):
        values = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0
        bits = np.where(np.isnan(values), np.nan, values).view(np.int64)
        _absorb_integers(bits, validity(array), np.uint64(_FLOATS), first, second)
    elif pa.types.is_integer(kind) or pa.types.is_temporal(kind) or pa.types.is_boolean(kind):
        _absorb_integers(as_int64(array), validity(array), np.uint64(_INTEGERS), first, second)
    else:
        _absorb_digests(*_digests(array), first, second)


def as_int64(array: pa.Array) -> np.ndarray:
    """Integers, booleans and instants as int64; what is null holds 0."""
    if pa.types.is_temporal(array.type):
        array = array.view(pa.int32() if pa.types.is_date32(array.type) else pa.int64())
    if array.null_count:
        array = array.fill_null(False if pa.types.is_boolean(array.type) else 0)
    if pa.types.is_boolean(array.type):
        return np.asarray(array.to_numpy(zero_copy_only=False)).astype(np.int64)
    return np.asarray(array.cast(pa.int64()).to_numpy(zero_copy_only=True))


def _digests(array: pa.Array) -> tuple[np.ndarray, np.ndarray]:
    digest, again = np.empty(len(array), np.uint64), np.empty(len(array), np.uint64)
    _digest_text(*text_bytes(array), digest, again)
    return digest, again


def without_dictionary(array: pa.Array) -> pa.Array:
    """The values of a dictionary array; any other array as it is."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def text_bytes(array: pa.Array) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where each value's text begins, the bytes of all, and which values are not null."""
    text = as_text(array)
    _, offsets, data = text.buffers()
    wide = pa.types.is_large_binary(text.type)
    offsets = np.frombuffer(offsets, np.int64 if wide else np.int32)[text.offset : text.offset + len(text) + 1]
    data = np.frombuffer(data, np.uint8) if data is not None and data.size else np.zeros(8, np.uint8)
    return offsets, data, validity(array)


def number_groups(first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A dense number for each row's group, and the row at which each group is met first."""
    table = np.zeros((_table_size(first.size), 3), np.uint64)
    codes, seen = np.empty(first.size, np.int64), np.empty(first.size, np.int64)
    return codes, seen[: _number_groups(first, second, table, codes, seen, 0)]


def _table_size(groups: int) -> int:
    return 1 << max(4, int(2 * groups - 1).bit_length())


class GroupIndex:
    """The groups met so far, numbered in the order of their first appearance."""

    def __init__(self, key_schema: pa.Schema) -> None:
        self.schema = key_schema
        self._table = np.zeros((_table_size(1024), 3), np.uint64)
        self._keys: list[pa.RecordBatch] = []
        self.first = np.empty(0, np.uint64)
        self.second = np.empty(0, np.uint64)

    def __len__(self) -> int:
        return int(self.first.size)

    def numbers(self, first: np.ndarray, second: np.ndarray, keys: pa.RecordBatch) -> np.ndarray:
        """The number of each group; unknown groups are added with their values."""
        known = len(self)
        if 2 * (known + first.size) > self._table.shape[0]:
            self._grow(known + first.size)
        codes, seen = np.empty(first.size, np.int64), np.empty(known + first.size, np.int64)
        total = _number_groups(first, second, self._table, codes, seen, known)
        fresh = seen[known:total]
        if fresh.size:
            self.first = np.concatenate([self.first, first[fresh]])
            self.second = np.concatenate([self.second, second[fresh]])
            if len(self.schema):
                columns = [with_one_zero(column) for column in keys.take(pa.array(fresh)).columns]
                self._keys.append(pa.RecordBatch.from_arrays(columns, schema=self.schema))
        return codes

    def numbers_of_rows(self, first: np.ndarray, second: np.ndarray, keys: pa.RecordBatch) -> np.ndarray:
        """The number of each row's group, where most groups are known; unknown ones are added with their values."""
        codes = self.find(first, second)
        missed = np.flatnonzero(codes < 0)
        if missed.size:
            numbers, seen = number_groups(first[missed], second[missed])
            fresh = missed[seen]
            added = self.numbers(first[fresh], second[fresh], keys.take(pa.array(fresh)))
            codes[missed] = added[numbers]
        return codes

    def find(self, first: np.ndarray, second: np.ndarray) -> np.ndarray:
        """The number of each group, or -1 for one that is not known."""
        codes = np.empty(first.size, np.int64)
        _find_groups(first, second, self._table, codes)
        return codes

    def values(self, numbers: np.ndarray) -> list[pa.Array]:
        """The group columns of the numbered groups."""
        if len(self._keys) > 1:
            self._keys = [pa.concat_batches(self._keys)]
        if not self._keys:
            return [pa.array([], field.type) for field in self.schema]
        return [column.take(pa.array(numbers)) for column in self._keys[0].columns]

    def snapshot(self) -> Tree:
        """All groups."""
        keys = {str(i): column for i, column in enumerate(self.values(np.arange(len(self))))}
        return {"first": self.first, "second": self.second, "keys": keys}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot, with the same numbers."""
        keys = pa.RecordBatch.from_arrays(list(tree_at(tree, "keys").values()), schema=self.schema)
        self.numbers(array_at(tree, "first"), array_at(tree, "second"), keys)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these, which are numbered anew in this order."""
        kept = GroupIndex(self.schema)
        keys = pa.RecordBatch.from_arrays(self.values(numbers), schema=self.schema)
        kept.numbers(self.first[numbers], self.second[numbers], keys)
        self.__dict__ = kept.__dict__

    def _grow(self, groups: int) -> None:
        self._table = np.zeros((_table_size(2 * groups), 3), np.uint64)
        codes, seen = np.empty(len(self), np.int64), np.empty(len(self), np.int64)
        _number_groups(self.first, self.second, self._table, codes, seen, 0)
