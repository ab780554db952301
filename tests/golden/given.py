"""Where the rows of a case come from: a table, files that are scanned, or a stream of these files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamframes as sf

TABLE, SCAN, STREAM = "table", "scan", "stream"
ALL = (TABLE, SCAN, STREAM)
STILL = (TABLE, SCAN)


@dataclass(frozen=True)
class Given:
    """Inputs by name, in the kind that is asked for."""

    spark: Any
    folder: Path
    kind: str

    def rows(self, name: str) -> Any:
        """The rows of an input."""
        path = str(self.folder / name)
        if self.kind == SCAN:
            return sf.scan(path, spark=self.spark)
        return self.stream(name) if self.kind == STREAM else self.table(name)

    def table(self, name: str) -> Any:
        """The rows of an input as a table, whatever the others are."""
        return self.spark.read.parquet(str(self.folder / name))

    def stream(self, name: str) -> Any:
        """The rows of an input as a stream, one file in each micro-batch."""
        reader = self.spark.readStream.schema(self.table(name).schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self.folder / name))


@dataclass(frozen=True)
class Case:
    """A call of a verb, and the kinds of rows that it is made with."""

    call: Callable[[Given], Any]
    kinds: tuple[str, ...] = (TABLE,)


def ticks(count: int, kind: str) -> Any:
    """A duration of so many ticks of the inputs."""
    if kind in ("bigint", "smallint"):
        return count
    return f"{count} {'days' if kind == 'date' else 'seconds'}"
