"""Grouping: rows of a group stand together in their order, and a group has one number whatever its values look like.

Covers: streamframes.core.files.keys.hash_table, streamframes.core.files.keys.integers,
streamframes.core.files.keys.key_index, streamframes.core.files.keys.texts
"""

from __future__ import annotations

from datetime import UTC
from typing import Any
from unittest import mock

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
from hypothesis import given

from streamframes.core.batch.groups import GroupIndex, fingerprints
from streamframes.core.files.keys import key_index as numbering
from streamframes.core.files.keys.group_by import grouped
from streamframes.core.files.keys.key_index import KeyNumbers
from tests.thoroughness import examples

TEXT = pa.schema([("key", pa.string())])


def _numbers(grouper: KeyNumbers, keys: list[pa.Array]) -> np.ndarray:
    """The number of each row, also where one is said for all."""
    return np.broadcast_to(grouper.numbers(keys, len(keys[0])), len(keys[0]))


STORED = {
    "plain": lambda array: array,
    "dictionary": lambda array: array.dictionary_encode(),
    "view": lambda array: array.cast(pa.string_view()),
    "part of a view": lambda array: pa.concat_arrays([pa.array(["before" * 5]), array]).cast(pa.string_view()).slice(1),
}
texts = st.lists(st.one_of(st.none(), st.text(max_size=3), st.sampled_from(["", "a" * 7, "b" * 8, "b" * 20, "é" * 9])))


@examples(80)
@given(batches=st.lists(texts, max_size=4), stored=st.lists(st.sampled_from(list(STORED)), min_size=4, max_size=4))
def test_texts_have_the_numbers_of_their_fingerprints(batches: Any, stored: Any) -> None:
    index = GroupIndex(TEXT)
    grouper = KeyNumbers(TEXT, index)
    for batch, how in zip(batches, stored, strict=False):
        array = pa.array(batch, pa.string())
        numbers = _numbers(grouper, [STORED[how](array)])
        assert index.values(numbers)[0].to_pylist() == batch
        assert (index.first[numbers] == fingerprints([array], len(array))[0]).all()
    assert len(set(index.first.tolist())) == len(index)


_KINDS = {
    "text": st.sampled_from(["", "a", "long enough", "b" * 20]),
    "whole": st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2),
    "short": st.integers(-5, 5),
    "real": st.sampled_from([0.0, -0.0, 1.5, float("nan")]),
    "day": st.dates(),
    "instant": st.datetimes(timezones=st.just(UTC)),
    "truth": st.booleans(),
}
KEYS = pa.schema(
    [
        ("text", pa.string()),
        ("whole", pa.int64()),
        ("short", pa.int8()),
        ("real", pa.float64()),
        ("day", pa.date32()),
        ("instant", pa.timestamp("us", "UTC")),
        ("truth", pa.bool_()),
    ]
)


@examples(80)
@given(st.data(), st.lists(st.sampled_from(KEYS.names), min_size=1, max_size=4, unique=True), st.sampled_from([4, 62]))
def test_groups_of_any_columns_have_the_numbers_of_their_fingerprints(data: Any, names: Any, bits: int) -> None:
    schema = pa.schema([KEYS.field(name) for name in names])
    row = st.tuples(*(st.none() | _KINDS[name] if data.draw(st.booleans()) else _KINDS[name] for name in names))
    index = GroupIndex(schema)
    grouper = KeyNumbers(schema, index)
    with mock.patch.object(numbering, "_BITS", bits):
        for rows in data.draw(st.lists(st.lists(row, min_size=1, max_size=20), min_size=1, max_size=4)):
            arrays = [
                pa.array(column, field.type) for column, field in zip(zip(*rows, strict=True), schema, strict=True)
            ]
            given = [
                array.dictionary_encode() if name == "text" and data.draw(st.booleans()) else array
                for array, name in zip(arrays, names, strict=True)
            ]
            numbers = _numbers(grouper, given)
            first, second = fingerprints(arrays, len(rows))
            assert (index.first[numbers] == first).all()
            assert (index.second[numbers] == second).all()
    assert len(set(zip(index.first.tolist(), index.second.tolist(), strict=True))) == len(index)


def test_a_dictionary_of_one_value_says_one_number_for_all_rows() -> None:
    grouper = KeyNumbers(TEXT, GroupIndex(TEXT))
    said = [grouper.numbers([pa.array(values).dictionary_encode()], 2) for values in (["a", "a"], ["b", "b"])]
    assert said == [0, 1]
    assert np.asarray(grouper.numbers([pa.array(["b", None]).dictionary_encode()], 2)).tolist() == [1, 2]


def test_many_groups_of_two_columns_are_told_apart() -> None:
    schema = pa.schema([("road", pa.string()), ("lane", pa.int32())])
    index = GroupIndex(schema)
    grouper = KeyNumbers(schema, index)
    number = np.random.default_rng(1).permutation(np.arange(60_000))
    keys = [pa.array([f"road {each // 300}" for each in number]), pa.array(number % 300, pa.int32())]
    for _ in range(2):
        assert (grouper.numbers(keys, number.size) == np.arange(number.size)).all()
    assert index.values(np.array([7]))[0].to_pylist() == [f"road {number[7] // 300}"]


def test_a_slice_of_texts_is_read_from_where_it_begins() -> None:
    index = GroupIndex(TEXT)
    numbers = KeyNumbers(TEXT, index).numbers([pa.array(["x", "long enough", "y", "x"]).slice(1)], 3)
    assert index.values(numbers)[0].to_pylist() == ["long enough", "y", "x"]


def test_texts_that_differ_in_any_byte_are_told_apart() -> None:
    index = GroupIndex(TEXT)
    grouper = KeyNumbers(TEXT, index)
    keys = pa.array(["x" * at + "y" + "x" * (size - at - 1) for size in range(1, 70) for at in range(size)])
    for _ in range(2):
        assert (grouper.numbers([keys], len(keys)) == np.arange(len(keys))).all()


def test_a_hundred_thousand_texts_are_told_apart() -> None:
    index = GroupIndex(TEXT)
    grouper = KeyNumbers(TEXT, index)
    keys = pa.array([f"sensor-{number}" for number in range(100_000)])
    for _ in range(2):
        assert (grouper.numbers([keys], len(keys)) == np.arange(100_000)).all()


@given(
    numbers=st.lists(st.integers(0, 5), min_size=1, max_size=30),
    kind=st.sampled_from([pa.float64(), pa.int64(), pa.bool_(), pa.string()]),
    nulls=st.booleans(),
    unwanted=st.none() | st.sets(st.integers(0, 5)),
)
def test_rows_of_wanted_groups_stand_together_in_their_order(
    numbers: Any, kind: Any, nulls: bool, unwanted: set[int] | None
) -> None:
    values = [None if nulls and i % 3 == 0 else i for i in range(len(numbers))]
    column = pa.array([None if value is None else bool(value % 2) for value in values]) if kind == pa.bool_() else None
    column = pa.array(values, pa.int64()).cast(kind) if column is None else column
    wanted = None if unwanted is None else np.array([number not in unwanted for number in range(6)])
    rows = grouped(np.array(numbers, np.int32), np.arange(len(numbers)) * 10, [column], 6, wanted)
    kept = [i for i, number in enumerate(numbers) if number not in (unwanted or ())]
    expected = sorted(kept, key=lambda i: (numbers[i], i))
    assert (rows.ts // 10).tolist() == expected
    assert rows.columns[0].to_pylist() == [column.to_pylist()[i] for i in expected]
    assert rows.group_of_row.tolist() == sorted(numbers[i] for i in kept)
