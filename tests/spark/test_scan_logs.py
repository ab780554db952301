"""Frames of Delta and Iceberg tables are those of the rows that their own libraries read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.types import DoubleType

import streamframes as sf
from streamframes.data import routers

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"),
]


def frames(rows: Any) -> list[str]:
    found = sf.frames(rows, sf.Threshold("drop_pct > 0.02", min_rows=2), ts="rpt_time", by="router")
    return sorted(repr(row) for row in found.agg(worst="max(drop_pct)", more="sum(more)").collect())


def reports(seed: int) -> pa.Table:
    return routers(600, routers=3, seed=seed).table


def more(seed: int) -> pa.Table:
    table = reports(seed)
    return table.append_column("more", pa.array([float(each) for each in range(len(table))]))


@pytest.mark.parametrize("partition", [None, ["router"]])
def test_a_delta_table_that_was_changed_and_has_got_a_column(
    spark: Any, tmp_path: Path, partition: list[str] | None
) -> None:
    write_deltalake(tmp_path, reports(1), partition_by=partition)
    write_deltalake(tmp_path, more(2), mode="append", schema_mode="merge")
    DeltaTable(tmp_path).delete("drop_pct > 0.9")
    DeltaTable(tmp_path).update(predicate="drop_pct < 0.1", updates={"drop_pct": "0.35"})
    rows = DeltaTable(tmp_path).to_pyarrow_table()
    expected = frames(spark.createDataFrame(rows))
    scan = sf.scan(tmp_path, format="delta")
    assert frames(scan) == frames(sf.scan(DeltaTable(tmp_path))) == frames(scan.toDF()) == expected != []
    assert scan.toDF().count() == rows.num_rows


def test_an_iceberg_table_whose_columns_were_renamed_and_added(spark: Any, tmp_path: Path) -> None:
    catalog = SqlCatalog("here", uri="sqlite:///:memory:", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("n")
    table = catalog.create_table("n.t", reports(1).rename_columns({"drop_pct": "dropped"}).schema)
    table.append(reports(1).rename_columns({"drop_pct": "dropped"}))
    with table.update_schema() as update:
        update.rename_column("dropped", "drop_pct")
        update.add_column("more", DoubleType())
    table.append(more(2))
    table.delete("drop_pct > 0.9")
    expected = frames(spark.createDataFrame(table.scan().to_arrow()))
    assert frames(sf.scan(table)) == frames(sf.scan(table.metadata_location, format="iceberg")) == expected != []
