"""What is skipped has no row on which the condition holds, and the rest is read as before.

Covers: streamframes.core.files.skipping.pruned, streamframes.core.files.skipping.condition,
streamframes.core.files.skipping.row_group_bounds, streamframes.core.files.logs.delta_statistics,
streamframes.core.files.logs.iceberg_statistics
"""

from __future__ import annotations

import math
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform

from streamframes.core.files.logs.opened import open_table
from streamframes.core.files.parquet import Dataset, RowGroupReader
from streamframes.core.files.parquet.dataset import NOTHING_SKIPPED
from streamframes.core.files.parquet.row_groups import all_row_groups
from streamframes.core.files.skipping.condition import Condition
from streamframes.core.sparksql import translate
from streamframes.core.sparksql.terms import Untranslatable
from tests.thoroughness import examples

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning")
INSTANT = pa.timestamp("us", "UTC")
SCHEMA = pa.schema(
    {
        "region": pa.string(),
        "text": pa.string(),
        "ts": INSTANT,
        "local": pa.timestamp("us"),
        "day": pa.date32(),
        "n": pa.int32(),
        "big": pa.int64(),
        "v": pa.float64(),
        "f": pa.float32(),
        "d": pa.decimal128(25, 4),
        "b": pa.bool_(),
    }
)
LONG = "x" * 70
VALUES: dict[str, list[Any]] = {
    "region": ["EU", "US", "a b/é"],
    "text": ["", "a", "b", LONG + "a", LONG + "z", LONG + "\U0010ffff", "é" * 40],
    "ts": [0, 1, 999, 1000, 1001, -1, -1001, 10**15 + 1, 10**15 + 2000],
    "local": [0, 1, 1500, -1, 10**15],
    "day": [0, 1, -1, 20000],
    "n": [0, 1, 2, -5, 2**31 - 1],
    "big": [0, 7, -7, 2**53 + 1, 2**63 - 1, -(2**63)],
    "v": [0.0, -0.0, 1.5, -2.0, math.nan, math.inf, 1e300],
    "f": [0.0, 0.1, math.nan, -3.0],
    "d": [Decimal(0), Decimal("1.5"), Decimal("-2.25"), Decimal("123456789012345678.1234"), Decimal("0.0001")],
    "b": [True, False],
}
LITERALS = {
    "region": ["'EU'", "'US'", "'zz'"],
    "text": ["'a'", f"'{LONG}'", f"'{LONG}b'", "'é'", "''"],
    "ts": [
        "TIMESTAMP '1970-01-01 00:00:00.000001Z'",
        "TIMESTAMP '1970-01-01 00:00:00.001Z'",
        "TIMESTAMP '2001-09-09Z'",
    ],
    "local": ["TIMESTAMP_NTZ '1970-01-01 00:00:00.000001'", "TIMESTAMP_NTZ '1970-01-01'"],
    "day": ["DATE '1970-01-01'", "DATE '2024-10-04'"],
    "n": ["0", "1", "2147483647", "1.5", "CAST(2 AS BIGINT)"],
    "big": ["0", "7", "9007199254740993", "-7"],
    "v": ["0.0", "CAST(1.5 AS DOUBLE)", "CAST('nan' AS DOUBLE)", "-2"],
    "f": ["0.1", "CAST(0.1 AS FLOAT)", "CAST(0 AS DOUBLE)"],
    "d": ["0", "1.5", "123456789012345678.1234", "0.0001"],
    "b": ["true", "false"],
}
NUMBERS = ["n", "big", "v", "f", "d"]


def stored(name: str, values: list[Any]) -> pa.Array:
    kind = SCHEMA.field(name).type
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).view(kind)
    return pa.array(values, pa.int32()).view(kind) if kind == pa.date32() else pa.array(values, kind)


@st.composite
def tables(draw: Any) -> list[pa.Table]:
    """Files of few rows, whose values are often alike."""
    made = []
    for _ in range(draw(st.integers(1, 3))):
        size, columns = draw(st.integers(1, 4)), {}
        for name, known in VALUES.items():
            some = draw(st.lists(st.sampled_from([None, *known]), min_size=1, max_size=2))
            columns[name] = stored(name, draw(st.lists(st.sampled_from(some), min_size=size, max_size=size)))
        made.append(pa.table(columns, schema=SCHEMA))
    return made


@st.composite
def comparisons(draw: Any) -> str:
    name = draw(st.sampled_from(list(VALUES)))
    literal = st.sampled_from([*LITERALS[name], "NULL"])
    kind = draw(st.sampled_from(["compare", "turned", "in", "between", "null", "same", "column", "cast", "plain"]))
    operator = draw(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]))
    if kind == "turned":
        return f"({draw(literal)} {operator} {name})"
    if kind == "in":
        return f"({name} IN ({draw(literal)}, {draw(literal)}))"
    if kind == "between":
        return f"({name} BETWEEN {draw(literal)} AND {draw(literal)})"
    if kind == "null":
        return f"({name} IS {draw(st.sampled_from(['', 'NOT ']))}NULL)"
    if kind == "same":
        return f"({name} <=> {draw(literal)})"
    if kind == "column":
        return f"({draw(st.sampled_from(NUMBERS))} {operator} {draw(st.sampled_from(NUMBERS))})"
    if kind == "cast":
        return f"(CAST({draw(st.sampled_from(NUMBERS))} AS DOUBLE) {operator} 1.5)"
    return "b" if kind == "plain" else f"({name} {operator} {draw(literal)})"


CONDITIONS = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.builds("({} AND {})".format, inner, inner),
        st.builds("({} OR {})".format, inner, inner),
        st.builds("(NOT {})".format, inner),
        st.builds("({} = {})".format, inner, inner),
    ),
    max_leaves=4,
)


def matching(dataset: Dataset, text: str) -> list[str]:
    """The rows of a dataset on which a condition is true."""
    reader = RowGroupReader(dataset, dataset.schema.names)
    found = []
    for group in all_row_groups(dataset):
        for batch in reader.batches(group.file, group.number):
            kept = batch.filter(translate(text, dataset.schema).evaluate(batch))
            found += [repr(sorted(row.items())) for row in kept.to_pylist()]
    return sorted(found)


def check(rows: Any, text: str, **options: Any) -> Dataset | None:
    """Whatever is skipped has no row that is wanted."""
    everything = open_table(rows, **options)
    try:
        translate(text, everything.schema)
    except Untranslatable:
        return None
    pruned = open_table(rows, **options, condition_on=lambda columns: Condition((text,), columns))
    assert matching(pruned, text) == matching(everything, text)
    return pruned


@examples(60)
@given(tables(), st.lists(CONDITIONS, min_size=1, max_size=6), st.booleans(), st.booleans())
def test_files_and_row_groups_without_such_rows_are_skipped(
    made: list[pa.Table], texts: list[str], statistics: bool, partitioned: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for number, table in enumerate(made):
            below = Path(folder, f"part={number}" if partitioned else "all")
            below.mkdir(exist_ok=True)
            pq.write_table(table, below / f"{number}.parquet", row_group_size=2, write_statistics=statistics)
        for text in texts:
            check(folder, f"({text} AND part < 2)" if partitioned else text)


@examples(25)
@given(tables(), st.lists(CONDITIONS, min_size=1, max_size=6), st.sampled_from([None, "region", "day", "n"]))
def test_files_of_delta_tables_without_such_rows_are_skipped(
    made: list[pa.Table], texts: list[str], partition: str | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for table in made:
            write_deltalake(folder, table, mode="append", partition_by=None if partition is None else [partition])
        for text in texts:
            check(folder, text, format="delta")


@examples(10)
@given(tables(), st.lists(CONDITIONS, min_size=1, max_size=6), st.sampled_from([None, "region", "day", "n"]))
def test_files_of_iceberg_tables_without_such_rows_are_skipped(
    made: list[pa.Table], texts: list[str], partition: str | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        catalog = SqlCatalog("here", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
        catalog.create_namespace("n")
        table = catalog.create_table("n.t", SCHEMA)
        if partition is not None:
            with table.update_spec() as update:
                update.add_field(partition, IdentityTransform(), partition)
        for each in made:
            table.append(each)
        for text in texts:
            check(table, text)


def regions(path: Path) -> None:
    """A folder for each region, a file for each ten instants, in row groups of five."""
    for region in ("EU", "US"):
        for first in (0, 10, 20):
            folder = path / f"region={region}"
            folder.mkdir(parents=True, exist_ok=True)
            table = pa.table({"ts": range(first, first + 10), "v": [float(first)] * 10, "k": [f"k{first}"] * 10})
            pq.write_table(table, folder / f"{first}.parquet", row_group_size=5)


@pytest.mark.parametrize(
    ("text", "skipped", "rows"),
    [
        ("region = 'EU'", (3, 6, 0, 6), 30),
        ("region = 'EU' AND ts < 5", (5, 6, 1, 2), 5),
        ("ts >= 12 AND ts < 18", (4, 6, 0, 4), 20),
        ("NOT (ts < 25)", (4, 6, 2, 4), 10),
        ("k IN ('k0', 'k1')", (4, 6, 0, 4), 20),
        ("v < 5", (4, 6, 0, 4), 20),
        ("v > 15", (0, 6, 0, 12), 60),
        ("ts IS NULL", (6, 6, 0, 0), 0),
        ("ts % 2 = 0", (0, 6, 0, 12), 60),
        ("region = 'EU' OR ts < 5", (2, 6, 1, 8), 35),
        ("region <=> NULL", (6, 6, 0, 0), 0),
        ("CAST(ts AS DOUBLE) < 9.5", (4, 6, 0, 4), 20),
    ],
)
def test_what_is_skipped_is_counted(tmp_path: Path, text: str, skipped: tuple[int, ...], rows: int) -> None:
    regions(tmp_path)
    found = check(tmp_path, text)
    assert found is not None
    assert (tuple(found.skipped), found.rows) == (skipped, rows)
    assert open_table(tmp_path).skipped == NOTHING_SKIPPED


def test_a_file_that_is_skipped_is_not_opened(tmp_path: Path) -> None:
    regions(tmp_path)
    for each in (tmp_path / "region=US").iterdir():
        each.write_bytes(b"no Parquet file")
    found = open_table(tmp_path, condition_on=lambda columns: Condition(("region = 'EU'",), columns))
    assert found.rows == 30


def test_files_that_a_log_knows_to_be_of_no_use_need_not_exist(tmp_path: Path) -> None:
    for first in (0, 10, 20):
        table = pa.table({"ts": stored("ts", list(range(first * 10**6, first * 10**6 + 5))), "k": ["é" * 40 + "a"] * 5})
        write_deltalake(tmp_path, table.append_column("region", pa.array([f"r{first}"] * 5)), mode="append")
    paths = DeltaTable(tmp_path).file_uris()
    in_order = sorted(paths, key=lambda path: pq.read_table(path).column("region")[0].as_py())
    for gone in in_order[1:]:
        Path(gone).unlink()
    for text in ("region < 'r1'", "ts < TIMESTAMP '1970-01-01 00:00:05Z'"):
        found = open_table(
            tmp_path, format="delta", condition_on=lambda columns, text=text: Condition((text,), columns)
        )
        assert len(matching(found, text)) == 5


def test_a_table_without_files_has_no_rows(tmp_path: Path) -> None:
    write_deltalake(tmp_path, SCHEMA.empty_table())
    found = open_table(tmp_path, format="delta", condition_on=lambda columns: Condition(("n = 1",), columns))
    assert (found.rows, found.files) == (0, ())


def test_bounds_of_doubles_hold_for_nan_and_those_of_decimals_for_rounding(tmp_path: Path) -> None:
    several = [Decimal("123456789012345678.1234"), Decimal("123456789012345679.9999")]
    table = pa.table({"v": [1.0, math.nan], "d": pa.array(several, pa.decimal128(25, 4))})
    write_deltalake(tmp_path, table)
    for text in ("v > 5", "NOT (v < 5)", "d <= 123456789012345678.1234", "d >= 123456789012345679.9999"):
        assert check(tmp_path, text, format="delta").skipped.files == 0  # type: ignore[union-attr]
    assert check(tmp_path, "d < 100000000000000000", format="delta").skipped.files in (0, 1)  # type: ignore[union-attr]
