"""Iceberg tables: their snapshots as `pyiceberg` reads them, deleted positions included."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import fs
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.io.pyarrow import schema_to_pyarrow
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat
from pyiceberg.schema import Schema
from pyiceberg.table import StaticTable, Table
from pyiceberg.transforms import IdentityTransform

from streamframes.core.files.logs.iceberg_statistics import IcebergStatistics
from streamframes.core.files.logs.table_log import LoggedFile, TableLog
from streamframes.core.files.parquet.listing import File
from streamframes.errors import InvalidArgument


def iceberg_log(table: object, version: int | None, filesystem: fs.FileSystem | None) -> TableLog:
    """The log of a table, or of the one whose metadata lies at a path; its last snapshot, or the one that is given."""
    table = table if isinstance(table, Table) else _at(str(table))
    if version is not None and table.snapshot_by_id(version) is None:
        known = ", ".join(str(each.snapshot_id) for each in table.metadata.snapshots[-3:])
        raise InvalidArgument(
            f"scan() got version={version}, which is no snapshot of the table; the last ones are {known}"
        )
    # A snapshot has the columns of its time; the table as it is may have got others since.
    scan = table.scan(snapshot_id=version)
    name = f"the Iceberg table {table.location()!r} at {f'snapshot {version}' if version else 'its last snapshot'}"
    try:
        tasks = sorted(scan.plan_files(), key=lambda task: _path(task.file.file_path))
    except (ValueError, NotImplementedError) as error:
        raise InvalidArgument(f"scan() got {name}, which pyiceberg cannot plan: {error}") from error
    filesystem = filesystem or _filesystem(table.location())
    schema = scan.projection()
    keys = {each.name: each.field_id for each in schema.fields}
    defaults = {each.name: each.initial_default for each in schema.fields}
    mapping = table.name_mapping()
    names = (
        {text: each.field_id for each in mapping.root if each.field_id is not None for text in each.names}
        if mapping is not None
        else {}
    )
    files = []
    for task in tasks:
        if task.file.file_format != FileFormat.PARQUET:
            raise InvalidArgument(f"scan() got {name}, whose file {task.file.file_path!r} is no Parquet file")
        deleted = _deleted(name, task.file, task.delete_files, filesystem)
        file = File(_path(task.file.file_path), task.file.file_size_in_bytes, deleted=deleted)
        files.append(LoggedFile(file, defaults={**defaults, **_partition(table, schema, task.file)}))
    statistics = IcebergStatistics(schema, tuple(task.file for task in tasks))
    return TableLog(name, filesystem, tuple(files), schema_to_pyarrow(schema), keys, names, statistics)


def _at(path: str) -> Table:
    """The table whose metadata a path names: a metadata file, or a folder with a hint that says which is the last."""
    try:
        return StaticTable.from_metadata(path)
    except (OSError, ValueError, NoSuchTableError) as error:
        hint = Path(path, "metadata", "version-hint.text")
        raise InvalidArgument(
            f"scan() got {path!r}, which pyiceberg cannot open: {error}; a folder needs {hint.name!r}, which only some "
            "catalogs write: give catalog.load_table(...), or the path of its last metadata file"
        ) from error


def _filesystem(location: str) -> fs.FileSystem:
    scheme, separator, rest = location.partition("://")
    if not separator or scheme == "file" or location.startswith("file:/"):
        return fs.LocalFileSystem()
    uri = f"{'s3' if scheme in ('s3a', 's3n') else scheme}://{rest.partition('/')[0]}"
    try:
        return fs.FileSystem.from_uri(uri)[0]
    except (pa.ArrowException, OSError) as error:
        raise InvalidArgument(
            f"scan() got an Iceberg table at {location!r}, which pyarrow cannot open: {error}; give filesystem="
        ) from error


def _path(uri: str) -> str:
    """Where a file lies; Iceberg's paths are no URIs: nothing in them is quoted."""
    if uri.startswith("file:/"):
        return "/" + uri.removeprefix("file:").lstrip("/")
    return uri.partition("://")[2] if "://" in uri else uri


def _partition(table: Table, schema: Schema, file: DataFile) -> dict[str, object]:
    """Columns that a file may lack because all its rows have the same value: those that partition it as they are."""
    names = {each.field_id: each.name for each in schema.fields}
    return {
        names[each.source_id]: file.partition[place]
        for place, each in enumerate(table.specs()[file.spec_id].fields)
        if isinstance(each.transform, IdentityTransform) and each.source_id in names
    }


def _deleted(name: str, file: DataFile, deletes: Iterable[DataFile], filesystem: fs.FileSystem) -> bytes:
    """The numbers of deleted rows of a file, as bytes of int64."""
    found = [np.empty(0, np.int64)]
    for each in deletes:
        if each.content != DataFileContent.POSITION_DELETES or each.file_format != FileFormat.PARQUET:
            raise InvalidArgument(
                f"scan() got {name}, where rows are deleted by {each.file_path!r}, which is no Parquet file of "
                "positions; rewrite the data files of the table, or read it with Spark"
            )
        rows = pq.read_table(_path(each.file_path), filesystem=filesystem, columns=["file_path", "pos"])
        mine = rows.filter(pc.equal(rows.column("file_path"), file.file_path))
        found.append(mine.column("pos").to_numpy().astype(np.int64))
    return np.unique(np.concatenate(found)).tobytes()
