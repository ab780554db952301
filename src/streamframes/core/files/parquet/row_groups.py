"""Row groups: between which instants their rows lie, by the statistics in footers (`ticks_range`).

It also says which of them are read together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.dataset import Dataset
from streamframes.core.files.parquet.footers import Footer
from streamframes.errors import InvalidArgument, StreamFramesError

Range = tuple[int | None, int | None]


UNKNOWN: Range = (None, None)
_PER_MICROSECOND = {"milliseconds": (1000, 1), "microseconds": (1, 1), "nanoseconds": (1, 1000)}
# Row groups with fewer rows are read together.
ROWS_TOGETHER = 1 << 17


@dataclass(frozen=True)
class RowGroup:
    """One row group: `file` is an index into the files, `low` to `high` the range of its instants, if known.

    `count` is more than one for small row groups that are read together, of which `number` is the first.
    """

    file: int
    number: int
    rows: int
    low: int | None
    high: int | None
    count: int = 1


def all_row_groups(dataset: Dataset) -> list[RowGroup]:
    """Every row group that is wanted, file after file, without a look at instants."""
    return [
        RowGroup(file, number, rows, None, None)
        for file, footer in enumerate(dataset.footers)
        for number, rows in enumerate(footer.row_counts)
        if number not in footer.skipped
    ]


def row_groups_of(dataset: Dataset, ts: str) -> list[RowGroup]:
    """The row groups in which any row may have an instant, file after file."""
    if ts not in dataset.schema.names:
        raise InvalidArgument(
            f"scan() got ts={ts!r}, which is not a column; the columns are {', '.join(dataset.schema.names)}"
        )
    if dataset.files and not dataset.footers:
        raise StreamFramesError("the row groups of a dataset are known only where its footers were read")
    kind = dataset.schema.field(ts).type
    return [group for file, footer in enumerate(dataset.footers) for group in _of_file(file, footer, ts, kind)]


def _of_file(number: int, footer: Footer, ts: str, kind: pa.DataType) -> Iterator[RowGroup]:
    """The row groups of a file in which any row may have an instant; small ones in the order of time as one.

    To read a row group takes some time by itself.
    """
    last: RowGroup | None = None
    for group in _single(number, footer, ts, kind):
        if last is not None and _follows(last, group):
            last = RowGroup(number, last.number, last.rows + group.rows, last.low, group.high, last.count + 1)
        else:
            if last is not None:
                yield last
            last = group
    if last is not None:
        yield last


def _follows(last: RowGroup, group: RowGroup) -> bool:
    small = last.number + last.count == group.number and last.rows + group.rows <= ROWS_TOGETHER
    return small and last.high is not None and group.low is not None and last.high <= group.low


def _single(file: int, footer: Footer, ts: str, kind: pa.DataType) -> list[RowGroup]:
    if ts in footer.leaves:
        ranges = _in_statistics(footer, footer.leaves[ts])
    else:
        text = dict(footer.file.partition)[ts]
        between = None if text is None else (hive.ticks(text, kind), hive.ticks(text, kind))
        ranges = [between] * footer.metadata.num_row_groups
    found = enumerate(zip(ranges, footer.row_counts, strict=True))
    return [
        RowGroup(file, number, rows, *between)
        for number, (between, rows) in found
        if between is not None and rows and number not in footer.skipped
    ]


def _in_statistics(footer: Footer, leaves: range) -> list[Range | None]:
    metadata = footer.metadata
    try:
        if len(leaves) != 1 or metadata.schema.column(leaves.start).max_repetition_level:
            return [UNKNOWN] * metadata.num_row_groups
        meaning = meaning_of(metadata.schema, leaves.start)
        return [ticks_range(metadata.row_group(k), leaves.start, meaning) for k in range(metadata.num_row_groups)]
    except Exception as error:
        raise footer.unreadable(error) from error


def ticks_range(row_group: pq.RowGroupMetaData, leaf: int, meaning: dict[str, Any]) -> Range | None:
    """The first and the last instant of a leaf in ticks, as far as they are known; None if no row has one."""
    statistics = row_group.column(leaf).statistics
    if not row_group.num_rows:
        return None
    if statistics is None:
        return UNKNOWN
    if statistics.has_null_count and statistics.null_count == row_group.num_rows:
        return None
    if not statistics.has_min_max or statistics.physical_type not in ("INT32", "INT64"):
        return UNKNOWN
    return ticks(int(statistics.min_raw), meaning), ticks(int(statistics.max_raw), meaning)


def meaning_of(schema: pq.ParquetSchema, leaf: int) -> dict[str, Any]:
    """What the stored integers of a leaf stand for, by its logical type.

    The unit must be the file's: pyarrow may give the column that it makes of it another one.
    """
    meaning: dict[str, Any] = json.loads(schema.column(leaf).logical_type.to_json())
    return meaning


def ticks(stored: int, meaning: dict[str, Any]) -> int | None:
    """The instant that a stored integer is: microseconds, days, or the number itself."""
    kind = meaning["Type"]
    if kind == "Timestamp":
        times, over = _PER_MICROSECOND[meaning["timeUnit"]]
        return stored * times // over
    if kind == "Int" and not meaning["isSigned"]:
        return int(stored % 2 ** meaning["bitWidth"])
    return stored if kind in ("Int", "Date", "None") else None
