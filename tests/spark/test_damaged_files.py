"""Damaged files that Spark wrote are read as PyArrow reads them, or refused by an error that names the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.core.files.parquet.damage import LENIENT, READ, REFUSED, Child, damage, table_of

pytestmark = pytest.mark.spark

INSTANTS = ("INT96", "TIMESTAMP_MICROS")
CODECS = ("none", "snappy", "gzip", "zstd", "lz4_raw")


@pytest.mark.parametrize("files", [20, pytest.param(500, marks=pytest.mark.long)])
def test_damaged_files_of_spark(spark: Any, tmp_path: Path, files: int) -> None:
    rows, good = spark.createDataFrame(table_of()), []
    for instants in INSTANTS if files > len(CODECS) * 4 else INSTANTS[1:]:
        spark.conf.set("spark.sql.parquet.outputTimestampType", instants)
        for codec in CODECS:
            folder = tmp_path / f"{instants}-{codec}"
            rows.coalesce(1).write.option("compression", codec).option("parquet.page.size", 4096).parquet(str(folder))
            good += folder.glob("*.parquet")
    spark.conf.unset("spark.sql.parquet.outputTimestampType")
    child = Child()
    try:
        assert child.outcomes(good) == {READ: len(good)}
        found = child.outcomes(damage(good, tmp_path, files, seed=files), good)
    finally:
        child.end()
    assert found[READ]
    assert found[REFUSED]
    assert found[LENIENT] <= max(1, files // 50)
