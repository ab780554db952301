"""Generated: made-up rows of any number, with the episodes that were planted in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from streamframes.data.arguments import one_of
from streamframes.data.files import write
from streamframes.data.parts import Parts

DataFrame_co = TypeVar("DataFrame_co", covariant=True)


class Session(Protocol[DataFrame_co]):
    """A SparkSession."""

    def createDataFrame(self, data: pa.Table, /) -> DataFrame_co:
        """Make a DataFrame of a table."""


@dataclass(frozen=True, eq=False, repr=False)
class Generated:
    """Rows, and the truth about them.

    The rows are made when they are needed, in parts, so a value costs next to nothing and `write`
    needs the memory of one part.

    Parameters
    ----------
    name
        Which generator made it.
    scheme
        The arguments of the Threshold scheme that must find exactly the episodes; empty where no single one does.
    ts, by
        The progressing attribute and the grouping columns.
    num_rows
        How many rows there are.
    tables
        How to make each table: `rows`, `episodes` and what else the generator offers.

    Examples
    --------
    >>> from streamframes.data import routers
    >>> made = routers(rows=3_000, routers=3, seed=1)
    >>> made
    <routers: 3,000 rows, 6 episodes of drop_pct > 0.3 with min_duration=2 minutes; ts=rpt_time, by=router>
    >>> made.scheme
    {'where': 'drop_pct > 0.3', 'min_duration': '2 minutes'}
    >>> made.episodes.column_names
    ['router', 'frame_start', 'frame_end', 'frame_rows', 'frame_closed_by']
    """

    name: str
    scheme: Mapping[str, str | int]
    ts: str
    by: tuple[str, ...]
    num_rows: int
    tables: Mapping[str, Parts]

    @cached_property
    def table(self) -> pa.Table:
        """All rows in memory, in time order."""
        return self.tables["rows"].table()

    @cached_property
    def episodes(self) -> pa.Table:
        """The frames that the scheme must find, by group and start."""
        return self.tables["episodes"].table()

    def write(
        self, folder: str | os.PathLike[str], *, files: int = 8, format: str = "parquet", table: str = "rows"
    ) -> list[Path]:
        """Write a table into a new folder, in time order over the files.

        Parameters
        ----------
        folder
            Where the files go; made if absent, and empty if present.
        files
            How many files of about equal size.
        format
            `parquet`, `csv` or `json` (one object per line).
        table
            Which of the tables.

        Returns
        -------
        list of Path
            The files, in time order.
        """
        return write(self._parts("write", table), folder, files, format)

    def toDF(self, spark: Session[DataFrame_co], *, table: str = "rows") -> DataFrame_co:
        """Make a Spark DataFrame of a table, which has to fit into memory; for more rows, `write` and read.

        Parameters
        ----------
        spark
            The SparkSession.
        table
            Which of the tables.
        """
        parts = self._parts("toDF", table)
        return spark.createDataFrame(self.table if table == "rows" else parts.table())

    def _parts(self, function: str, table: str) -> Parts:
        return self.tables[one_of(function, "table", table, self.tables)]

    def __repr__(self) -> str:
        minimum = ", ".join(f"{name}={value}" for name, value in self.scheme.items() if name != "where")
        episodes = f"{self.episodes.num_rows:,} episodes of {self.scheme['where']} with {minimum}"
        groups = f", by={', '.join(self.by)}" if self.by else ""
        return f"<{self.name}: {self.num_rows:,} rows, {episodes}; ts={self.ts}{groups}>"
