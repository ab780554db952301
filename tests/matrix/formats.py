"""Formats of tables: the packages that bring Delta and Iceberg to each Spark, and golden inputs as their tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyspark

from tests.golden.given import Given

SPARK = ".".join(pyspark.__version__.split(".")[:2])


@dataclass(frozen=True)
class Format:
    """A format of tables: what brings it to a Spark, and how a stream reads one commit after the other."""

    name: str
    packages: dict[str, str]
    settings: dict[str, str]
    catalog: str
    one_commit: dict[str, str]

    @property
    def package(self) -> str | None:
        """What brings it to the Spark that is installed, if anything does."""
        return self.packages.get(SPARK)


FORMATS = {
    "delta": Format(
        "delta",
        {version: f"io.delta:delta-spark_{version}_2.13:4.4.0" for version in ("4.0", "4.1", "4.2")},
        {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.snapshotPartitions": "2",
        },
        "spark_catalog.default",
        {"maxFilesPerTrigger": "1"},
    ),
    "iceberg": Format(
        "iceberg",
        {
            "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
            "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        },
        {
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.iceberg": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.iceberg.type": "hadoop",
        },
        "iceberg.default",
        {"streaming-max-files-per-micro-batch": "1"},
    ),
}


def settings(folder: Path) -> dict[str, str]:
    """The settings of a session that has every format that there is for the Spark that is installed."""
    there = [each for each in FORMATS.values() if each.package]
    found = {key: value for each in there for key, value in each.settings.items()}
    found["spark.sql.extensions"] = ",".join(each.settings["spark.sql.extensions"] for each in there)
    found["spark.jars.packages"] = ",".join(str(each.package) for each in there)
    found["spark.sql.warehouse.dir"] = str(folder / "warehouse")
    found["spark.sql.catalog.iceberg.warehouse"] = str(folder / "iceberg")
    return found


@dataclass(frozen=True)
class GivenAs(Given):
    """Inputs as tables of a format, one commit for each file."""

    format: Format

    def table(self, name: str) -> Any:
        return self.spark.table(self._made(name))

    def stream(self, name: str) -> Any:
        reader = self.spark.readStream.format(self.format.name).options(**self.format.one_commit)
        return reader.table(self._made(name))

    def _made(self, name: str) -> str:
        """The name of a table with the rows of an input."""
        table = f"{self.format.catalog}.{name}"
        if not self.spark.catalog.tableExists(table):
            for file in sorted((self.folder / name).glob("*.parquet")):
                rows = self.spark.read.parquet(str(file)).coalesce(1)
                rows.write.format(self.format.name).mode("append").saveAsTable(table)
        return table
