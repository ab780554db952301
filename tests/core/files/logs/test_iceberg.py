"""Iceberg tables are read as pyiceberg reads them, whatever has been done to them.

Covers: streamframes.core.files.logs.iceberg
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, StringType

from streamframes.core.files.logs import iceberg
from streamframes.core.files.logs.opened import open_table
from streamframes.errors import InvalidArgument
from tests.core.files.logs.reading import rows, rows_of, sorted_rows
from tests.thoroughness import examples

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning")
STEPS = ("append", "overwrite", "delete", "evolve", "rename", "partition", "nothing")


def made(folder: str, table: pa.Table) -> Any:
    """A table in a catalog of its own."""
    catalog = SqlCatalog("here", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
    catalog.create_namespace("n")
    return catalog.create_table("n.t", table.schema)


def take(step: str, table: Any, number: int, key: str, extra: bool) -> None:
    """Do something to a table."""
    more = rows(list(range(number, number + 5)), number, extra).rename_columns({"k": key})
    if step in ("append", "evolve"):
        table.append(more)
    elif step == "overwrite":
        table.overwrite(more)
    elif step == "delete":
        table.delete("v == 2")
    elif step == "partition":
        with table.update_spec() as update:
            update.add_field("day", IdentityTransform(), f"day_{number}")


@examples(15)
@given(st.lists(st.sampled_from(STEPS), max_size=5), st.booleans())
def test_the_rows_are_those_that_pyiceberg_reads(steps: list[str], partitioned: bool) -> None:
    with tempfile.TemporaryDirectory(prefix="a table ") as folder:
        table = made(folder, rows([], 0, False))
        if partitioned:
            with table.update_spec() as update:
                update.add_field("v", IdentityTransform(), "v")
        table.append(rows(list(range(6)), 0, False))
        first = table.current_snapshot().snapshot_id
        before = sorted_rows(table.scan().to_arrow().to_pylist())
        extra, key, cut = False, "k", False
        for number, step in enumerate(steps, 1):
            if step == "evolve" and not extra:
                table.update_schema().add_column("extra", DoubleType()).commit()
                extra = True
            if step == "rename":
                table.update_schema().rename_column(key, f"{key}2").commit()
                key = f"{key}2"
            if step == "partition" and cut:
                continue
            cut |= step == "partition"
            take(step, table, 10 * number, key, extra)
        found = open_table(table)
        assert rows_of(found) == sorted_rows(table.scan().to_arrow().to_pylist())
        assert rows_of(open_table(table, version=first)) == before
        assert rows_of(open_table(table.metadata_location, format="iceberg")) == rows_of(found)


def test_rows_deleted_by_positions_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = made(str(tmp_path), rows([], 0, True))
    table.append(rows(list(range(10)), 0, True))
    (task,) = table.scan().plan_files()
    deletes = pa.table({"file_path": ["another", task.file.file_path, task.file.file_path], "pos": [1, 4, 2]})
    pq.write_table(deletes, tmp_path / "deletes.parquet")
    each = iceberg.DataFile.from_args(
        content=iceberg.DataFileContent.POSITION_DELETES,
        file_path=str(tmp_path / "deletes.parquet"),
        file_format=iceberg.FileFormat.PARQUET,
    )
    task.delete_files.add(each)
    monkeypatch.setattr("pyiceberg.table.DataScan.plan_files", lambda scan: [task])
    wanted = [row for number, row in enumerate(rows(list(range(10)), 0, True).to_pylist()) if number not in (2, 4)]
    assert rows_of(open_table(table)) == sorted_rows(wanted)
    other = iceberg.DataFile.from_args(
        content=iceberg.DataFileContent.POSITION_DELETES, file_path="v.puffin", file_format=iceberg.FileFormat.PUFFIN
    )
    task.delete_files.add(other)
    with pytest.raises(InvalidArgument, match=r"rows are deleted by 'v.puffin', which is no Parquet file"):
        open_table(table)


def test_files_that_were_added_are_found_by_their_names(tmp_path: Path) -> None:
    table = made(str(tmp_path), rows([], 0, False))
    pq.write_table(rows(list(range(4)), 0, False), tmp_path / "old.parquet")
    table.add_files([f"file://{tmp_path}/old.parquet"])
    table.update_schema().rename_column("k", "key").add_column("more", StringType()).commit()
    assert rows_of(open_table(table)) == sorted_rows(table.scan().to_arrow().to_pylist())


def test_what_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    table = made(str(tmp_path), rows([], 0, False))
    table.append(rows([1], 0, False))
    with pytest.raises(InvalidArgument, match="version=7, which is no snapshot of the table; the last ones are"):
        open_table(table, version=7)
    place = table.location().removeprefix("file://")
    with pytest.raises(InvalidArgument, match=r"is an Iceberg table; give catalog.load_table\("):
        open_table(place)
    with pytest.raises(InvalidArgument, match=r"a folder needs 'version-hint.text', which only some catalogs write"):
        open_table(place, format="iceberg")
