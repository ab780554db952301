"""Delta tables are read as deltalake reads them, whatever has been done to them.

Covers: streamframes.core.files.logs.delta, streamframes.core.files.logs.table_log, streamframes.core.files.logs.opened
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.files.logs.opened import open_table
from streamframes.core.files.logs.table_log import LoggedFile, TableLog
from streamframes.core.files.parquet import listing
from streamframes.core.files.parquet.row_groups import row_groups_of
from streamframes.core.files.skipping.condition import Condition
from streamframes.errors import InvalidArgument
from tests.core.files.logs.reading import rows, rows_of, sorted_rows
from tests.thoroughness import examples

STEPS = ("append", "overwrite", "delete", "update", "evolve", "compact", "nothing")


def take(step: str, path: str, number: int, extra: bool) -> None:
    """Do something to a table."""
    table, more = DeltaTable(path), rows(list(range(number, number + 5)), number, extra)
    if step in ("append", "evolve"):
        write_deltalake(path, more, mode="append", schema_mode="merge")
    elif step == "overwrite":
        write_deltalake(path, more, mode="overwrite", schema_mode="merge")
    elif step == "delete":
        table.delete("v = 2")
    elif step == "update":
        table.update(predicate="v > 2", updates={"k": "'new'"})
    elif step == "compact":
        table.optimize.compact()


@examples(15)
@given(st.lists(st.sampled_from(STEPS), max_size=5), st.sampled_from([None, ["day"], ["day", "v"]]))
def test_the_rows_are_those_that_deltalake_reads(steps: list[str], partition: list[str] | None) -> None:
    with tempfile.TemporaryDirectory(prefix="a table ") as path:
        write_deltalake(path, rows(list(range(6)), 0, False), partition_by=partition)
        extra = False
        for number, step in enumerate(steps):
            extra |= step == "evolve"
            take(step, path, 10 * number, extra)
        for table in (path, DeltaTable(path), Path(path)):
            found = open_table(table, format="delta")
            wanted = DeltaTable(path).to_pyarrow_table()
            assert rows_of(found) == sorted_rows(wanted.to_pylist())
            assert found.rows == wanted.num_rows
        first = open_table(path, format="delta", version=0)
        assert rows_of(first) == sorted_rows(rows(list(range(6)), 0, False).to_pylist())


def test_a_row_group_says_its_instants_and_a_file_without_the_column_has_none(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"k": ["a", "b"]}))
    write_deltalake(tmp_path, pa.table({"k": ["a"], "ts": [5]}), mode="append", schema_mode="merge")
    found = open_table(tmp_path, format="delta")
    assert [(group.rows, group.low, group.high) for group in row_groups_of(found, "ts")] == [(1, 5, 5)]


def log_of(path: Path, columns: list[dict[str, Any]], files: dict[str, pa.Table], **settings: str) -> None:
    """A table with a log that is written by hand, as other writers write it."""
    (path / "_delta_log").mkdir()
    schema = json.dumps({"type": "struct", "fields": columns})
    actions: list[dict[str, Any]] = [
        {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}},
        {
            "metaData": {
                "id": "a", "format": {"provider": "parquet", "options": {}}, "schemaString": schema,
                "partitionColumns": [], "configuration": settings, "createdTime": 0,
            }
        },
    ]  # fmt: skip
    for name, table in files.items():
        pq.write_table(table, path / name)
        size = (path / name).stat().st_size
        add = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 0, "dataChange": True}
        actions.append({"add": add})
    text = "\n".join(map(json.dumps, actions))
    (path / "_delta_log" / f"{0:020}.json").write_text(text)


def column(name: str, kind: str, physical: str | None = None, number: int = 0) -> dict[str, Any]:
    mapping = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": physical} if physical else {}
    return {"name": name, "type": kind, "nullable": True, "metadata": mapping}


@pytest.mark.parametrize("mode", ["name", "id"])
def test_columns_that_were_renamed_are_found_by_the_mapping(tmp_path: Path, mode: str) -> None:
    # `a` and `b` have changed places, and `c` came later.
    columns = [column("a", "long", "b", 2), column("b", "string", "a", 1), column("c", "long", "c-1", 3)]
    ids = [pa.field("a", pa.string(), metadata={"PARQUET:field_id": "1"})]
    ids += [pa.field("b", pa.int64(), metadata={"PARQUET:field_id": "2"})]
    file = pa.table({"a": ["x", "y"], "b": [1, 2]}, schema=pa.schema(ids))
    log_of(tmp_path, columns, {"p.parquet": file}, **{"delta.columnMapping.mode": mode})
    found = open_table(tmp_path, format="delta")
    assert rows_of(found) == sorted_rows([{"a": 1, "b": "x", "c": None}, {"a": 2, "b": "y", "c": None}])
    assert found.stored_bytes("b") > 0


@pytest.mark.parametrize("mode", ["name", "id"])
def test_partitions_and_statistics_of_columns_that_were_renamed(tmp_path: Path, mode: str) -> None:
    # Each of the names stands for another column in the file: `a` is stored as `b`, `b` as `c`, and `c` as `a`.
    columns = [column("a", "long", "b", 1), column("b", "long", "c", 2), column("c", "long", "a", 3)]
    ids = [pa.field(name, pa.int64(), metadata={"PARQUET:field_id": str(n)}) for name, n in (("b", 1), ("c", 2))]
    files = {f"{first}.parquet": pa.table([[first, first + 1], [5, 5]], schema=pa.schema(ids)) for first in (10, 20)}
    log_of(tmp_path, columns, files, **{"delta.columnMapping.mode": mode})
    log = tmp_path / "_delta_log" / f"{0:020}.json"
    actions = [json.loads(line) for line in log.read_text().splitlines()]
    actions[1]["metaData"]["partitionColumns"] = ["c"]
    for first, action in zip((10, 20), actions[2:], strict=True):
        ends = {"minValues": {"b": first, "c": 5}, "maxValues": {"b": first + 1, "c": 5}, "nullCount": {"b": 0, "c": 0}}
        action["add"] |= {"partitionValues": {"a": str(first)}, "stats": json.dumps({"numRecords": 2, **ends})}
    log.write_text("\n".join(map(json.dumps, actions)))
    wanted = [{"a": first + n, "b": 5, "c": first} for first in (10, 20) for n in (0, 1)]
    assert rows_of(open_table(tmp_path, format="delta")) == sorted_rows(wanted)
    for text, n_files in (("a < 15", 1), ("b = 5", 2), ("b < 5", 0), ("c = 20", 1), ("c = 5", 0)):
        kept = open_table(tmp_path, format="delta", condition_on=lambda known, text=text: Condition((text,), known))
        assert len(kept.files) == n_files


def test_types_that_were_widened_are_read_and_others_are_refused(tmp_path: Path) -> None:
    old, new = pa.table({"v": pa.array([1], pa.int32())}), pa.table({"v": pa.array([2**40], pa.int64())})
    log_of(tmp_path, [column("v", "long")], {"a.parquet": old, "b.parquet": new})
    assert rows_of(open_table(tmp_path, format="delta")) == sorted_rows([{"v": 1}, {"v": 2**40}])
    other = tmp_path / "other"
    other.mkdir()
    log_of(other, [column("v", "integer")], {"a.parquet": new})
    with pytest.raises(InvalidArgument, match=r"column 'v' is int32, but int64 in the file"):
        open_table(other, format="delta")


def test_rows_that_a_log_has_deleted_are_not_read(tmp_path: Path) -> None:
    table = rows(list(range(20)), 0, True)
    pq.write_table(table, tmp_path / "p.parquet", row_group_size=6)
    filesystem, (file,), _ = listing.list_files(tmp_path / "p.parquet")
    gone = np.array([0, 3, 5, 6, 7, 8, 9, 10, 11, 19])
    logged = LoggedFile(listing.File(file.path, file.size, deleted=gone.tobytes()), constants={"day": "x"})
    found = TableLog("a table", filesystem, (logged,), table.schema, {name: name for name in table.column_names})
    wanted = [{**row, "day": "x"} for number, row in enumerate(table.to_pylist()) if number not in gone]
    assert rows_of(found.dataset()) == sorted_rows(wanted)
    assert found.dataset().rows == 10


def test_a_folder_of_a_table_is_not_taken_for_files(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"k": ["a"]}))
    write_deltalake(tmp_path, pa.table({"k": ["b"]}), mode="overwrite")
    with pytest.raises(InvalidArgument, match=r"is a Delta table; say format='delta'"):
        open_table(str(tmp_path))
    assert rows_of(open_table(str(tmp_path), format="parquet")) == sorted_rows([{"k": "a"}, {"k": "b"}])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"format": "delta", "version": 7}, "which deltalake cannot open"),
        ({"format": "orc"}, "format='orc'; give 'parquet', 'delta' or 'iceberg'"),
        ({"format": "parquet", "version": 1}, "files have no versions"),
    ],
)
def test_what_cannot_be_opened_is_refused(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    write_deltalake(tmp_path, pa.table({"k": ["a"]}))
    with pytest.raises(InvalidArgument, match=message):
        open_table(str(tmp_path), **arguments)
    with pytest.raises(InvalidArgument, match="give one table"):
        open_table([str(tmp_path)], format="delta")
