"""Delta tables: their log as `deltalake` reads it, deletion vectors and mapped columns included."""

from __future__ import annotations

import json
from urllib.parse import unquote

import numpy as np
import pyarrow as pa
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError
from pyarrow import fs

from streamframes.core.files.logs.delta_statistics import DeltaStatistics
from streamframes.core.files.logs.table_log import LoggedFile, TableLog
from streamframes.core.files.parquet.listing import File
from streamframes.errors import InvalidArgument

_MAPPING = "delta.columnMapping.mode"
_PHYSICAL = "delta.columnMapping.physicalName"


def delta_log(table: object, version: int | None, filesystem: fs.FileSystem | None) -> TableLog:
    """The log of a table, or of the one that lies at a path; the version that it is at, or the one that is given."""
    if isinstance(table, DeltaTable):
        if version is not None and version != table.version():
            raise InvalidArgument(
                f"scan() got version={version} and a DeltaTable at version {table.version()}; "
                f"give DeltaTable(path, version={version}) alone"
            )
    else:
        try:
            table = DeltaTable(str(table), version=version)
        except (DeltaError, OSError, ValueError) as error:
            raise InvalidArgument(f"scan() got {table!r}, which deltalake cannot open: {error}") from error
    name = f"the Delta table {table.table_uri!r} at version {table.version()}"
    filesystem, base = _place(table.table_uri, filesystem)
    mode = table.metadata().configuration.get(_MAPPING, "none")
    fields = json.loads(table.schema().to_json())["fields"]
    keys = {each["name"]: _key(each, mode) for each in fields}
    stored = {each["name"]: each["name"] if mode == "none" else each["metadata"][_PHYSICAL] for each in fields}
    actions = pa.table(table.get_add_actions(flatten=False))
    paths = [_inside(path, base, name) for path in actions.column("path").to_pylist()]
    deleted = _deleted(table, paths)
    partitions = actions.column("partition").to_pylist() if "partition" in actions.column_names else [{}] * len(paths)
    sizes, order = actions.column("size_bytes").to_pylist(), sorted(range(len(paths)), key=paths.__getitem__)
    files = tuple(
        LoggedFile(File(paths[i], sizes[i], deleted=deleted.get(paths[i], b"")), partitions[i] or {}) for i in order
    )
    statistics = DeltaStatistics(actions.take(pa.array(order, pa.int64())), stored)
    return TableLog(name, filesystem, files, pa.schema(table.schema().to_arrow()), keys, statistics=statistics)


def _key(field: dict[str, dict[str, str]], mode: str) -> str | int:
    """How a column is found in a file."""
    if mode == "id":
        return int(field["metadata"]["delta.columnMapping.id"])
    return str(field["metadata"][_PHYSICAL] if mode == "name" else field["name"])


def _place(uri: str, filesystem: fs.FileSystem | None) -> tuple[fs.FileSystem, str]:
    """The filesystem of a table, and its path there."""
    if filesystem is not None:
        return filesystem, unquote(uri.partition("://")[2]).rstrip("/")
    try:
        found, path = fs.FileSystem.from_uri(uri.replace("s3a://", "s3://", 1))
    except (pa.ArrowException, OSError) as error:
        raise InvalidArgument(
            f"scan() got a Delta table at {uri!r}, which pyarrow cannot open: {error}; give filesystem="
        ) from error
    return found, path.rstrip("/")


def _inside(path: str, base: str, name: str) -> str:
    """Where a file lies that the log names below the table; a clone names files of another table."""
    if "://" in path or path.startswith("/"):
        raise InvalidArgument(f"scan() got {name}, whose file {path!r} lies outside; read it with Spark")
    return f"{base}/{unquote(path)}"


def _deleted(table: DeltaTable, paths: list[str]) -> dict[str, bytes]:
    """The numbers of deleted rows of files, as bytes of int64."""
    vectors = pa.table(table.deletion_vectors())
    found = {}
    for uri, kept in zip(vectors.column("filepath").to_pylist(), vectors.column("selection_vector"), strict=True):
        matching = [path for path in paths if unquote(uri).endswith(path) or uri.endswith(path)]
        if len(matching) != 1:
            raise InvalidArgument(f"scan() got a Delta table with deleted rows in {uri!r}, which is none of its files")
        mask = kept.values.to_numpy(zero_copy_only=False)
        found[matching[0]] = np.flatnonzero(~mask).astype(np.int64).tobytes()
    return found
