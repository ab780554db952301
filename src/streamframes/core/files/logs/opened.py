"""Tables as users name them: by their path and format, or as the object of the library that reads their log."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

import pyarrow as pa
from pyarrow import fs

from streamframes.core.files.parquet import Dataset, list_files
from streamframes.core.files.parquet.dataset import ListedFiles
from streamframes.core.files.parquet.listing import Paths
from streamframes.core.files.skipping.condition import Condition
from streamframes.core.files.skipping.pruned import Table, read_table
from streamframes.errors import InvalidArgument
from streamframes.extras import need

Format = Literal["parquet", "delta", "iceberg"]


def open_table(
    rows: object,
    filesystem: fs.FileSystem | None = None,
    format: Format | None = None,
    version: int | None = None,
    condition_on: Callable[[pa.Schema], Condition] | None = None,
) -> Dataset:
    """The dataset of files, of a Delta table or of an Iceberg table.

    `condition_on` makes of the columns a condition; files in which it cannot hold are not opened.
    """
    table = _found(rows, filesystem, format, version)
    return table.dataset() if condition_on is None else read_table(table, condition_on(table.columns))


def _found(rows: object, filesystem: fs.FileSystem | None, format: Format | None, version: int | None) -> Table:
    """The files of a table, none of which has been read."""
    said = format or _format_of(rows)
    if said == "delta":
        need("delta")
        from streamframes.core.files.logs.delta import delta_log

        return delta_log(_one(rows, said), version, filesystem)
    if said == "iceberg":
        need("iceberg")
        from streamframes.core.files.logs.iceberg import iceberg_log

        return iceberg_log(_one(rows, said), version, filesystem)
    if said != "parquet":
        raise InvalidArgument(f"scan() got format={format!r}; give 'parquet', 'delta' or 'iceberg'")
    if version is not None:
        raise InvalidArgument(
            f"scan() got version={version}, but files have no versions; say format='delta' or 'iceberg'"
        )
    if format is None:
        _check_no_log(rows)
    return ListedFiles(*list_files(cast(Paths, rows), filesystem))


def _format_of(rows: object) -> str:
    """The format of an object; of paths, files."""
    module = type(rows).__module__.partition(".")[0]
    return {"deltalake": "delta", "pyiceberg": "iceberg"}.get(module, "parquet")


def _one(rows: object, format: str) -> object:
    if isinstance(rows, list | tuple):
        raise InvalidArgument(f"scan() got {len(rows)} paths and format={format!r}; give one table")
    return str(rows) if isinstance(rows, Path) else rows


def _check_no_log(rows: object) -> None:
    """Refuse the folder of a table: all files that lie there are more than the table has."""
    for path in [rows] if isinstance(rows, str | Path) else rows if isinstance(rows, list | tuple) else []:
        folder = Path(path) if isinstance(path, str | Path) and "://" not in str(path) else None
        if folder is not None and (folder / "_delta_log").is_dir():
            raise InvalidArgument(
                f"scan() got {str(path)!r}, which is a Delta table; say format='delta', "
                "or format='parquet' for all files that lie there, removed ones too"
            )
        if folder is not None and any((folder / "metadata").glob("*.metadata.json")):
            raise InvalidArgument(
                f"scan() got {str(path)!r}, which is an Iceberg table; give catalog.load_table(...), "
                "or format='parquet' for all files that lie there, removed ones too"
            )
