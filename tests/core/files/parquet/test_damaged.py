"""Damaged files are read as PyArrow reads them, or refused by an error that names the file; no process dies of one.

Covers: streamframes.core.files.parquet.footers, streamframes.core.files.parquet.column_chunks
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamframes.core.files.parquet import RowGroupReader, open_dataset
from streamframes.core.files.parquet.column_chunks import check_column_chunks
from streamframes.core.files.parquet.footers import footer_bytes
from streamframes.errors import StreamFramesError
from tests.core.files.parquet.damage import (
    LENIENT,
    READ,
    REFUSED,
    Child,
    damage,
    table_of,
    written_by_others,
    written_by_pyarrow,
)


@pytest.fixture(scope="module")
def child() -> Iterator[Child]:
    """A process that may die."""
    child = Child()
    yield child
    child.end()


@pytest.mark.parametrize("files", [100, pytest.param(2_000, marks=pytest.mark.long)])
def test_damaged_files_are_read_as_by_pyarrow_or_refused(child: Child, tmp_path: Path, files: int) -> None:
    good = [*written_by_pyarrow(tmp_path), *written_by_others(tmp_path)]
    if files > len(good):
        assert child.outcomes(good) == {READ: len(good)}
    found = child.outcomes(damage(good, tmp_path, files, seed=files), good)
    print(dict(found))
    assert found[LENIENT] <= files // 50
    assert found[READ] > files // 10
    assert found[REFUSED] > files // 10


def changed(path: Path, change: Callable[[bytearray], None]) -> Path:
    """The file with its bytes changed."""
    data = bytearray(path.read_bytes())
    change(data)
    path.write_bytes(data)
    return path


def numbers_in(path: Path, **options: object) -> Path:
    """A file of one column of numbers."""
    pq.write_table(pa.table({"ts": list(range(1000))}), path, **options)
    return path


def test_a_physical_type_that_is_not_the_columns_is_refused(child: Child, tmp_path: Path) -> None:
    """PyArrow would end the process."""
    path = numbers_in(tmp_path / "a.parquet", compression="none")

    def change(data: bytearray) -> None:
        footer = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
        # Field 1 of the metadata of a column chunk, INT64, and field 2, a list of encodings.
        at = data.index(b"\x15\x04\x19", footer + 20)
        data[at + 1] = 0

    assert child.outcomes([changed(path, change)]) == {REFUSED: 1}
    with pytest.raises(StreamFramesError, match=r"got '.*a.parquet', whose footer .*: column 'ts' is INT64, and"):
        open_dataset(path)


def test_statistics_that_are_too_short_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"k": ["abc"] * 10, "n": list(range(10))}), path)
    with pa.memory_map(str(path)) as source:
        footer = footer_bytes(source)
    other = tmp_path / "b.parquet"
    pq.write_table(pa.table({"k": list(range(10)), "n": ["abc"] * 10}), other)
    check_column_chunks(footer, pq.read_metadata(path))
    with pytest.raises(ValueError, match="column 'k' is INT64, and in a row group it is not"):
        check_column_chunks(footer, pq.read_metadata(other))
    number, text = b"\x18\x08" + bytes([9, *bytes(7)]), b"\x18\x07" + bytes([9, *bytes(6)])
    assert number in footer
    with pytest.raises(ValueError, match="column 'n' has statistics that are no INT64"):
        check_column_chunks(footer.replace(number, text), pq.read_metadata(path))
    for end in range(0, len(footer) - 8, 7):
        with pytest.raises(ValueError, match="1 row groups have not 2 columns each"):
            check_column_chunks(footer[:end], pq.read_metadata(path))


def test_an_index_outside_of_its_dictionary_is_refused(child: Child, tmp_path: Path) -> None:
    """PyArrow hands it on."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"key": [f"key-{number % 5}" for number in range(1000)]}), path, compression="none")
    at = pq.read_metadata(path).row_group(0).column(0).data_page_offset

    def change(data: bytearray) -> None:
        data[at + 60 : at + 100] = b"\xff" * 40

    changed(path, change)
    with pytest.raises(StreamFramesError, match=r"cannot read '.*a.parquet': .*(index|Index)"):
        RowGroupReader(open_dataset(path), ["key"], ["key"]).read(0, 0)
    assert child.outcomes([path]) == {REFUSED: 1}


@pytest.mark.parametrize("stream", ["empty", "endless", "bomb", "twice", "short"])
def test_pages_of_gzip_that_are_not_what_they_say(child: Child, tmp_path: Path, stream: str) -> None:
    """The page keeps its length, and so the file its shape; what it unpacks to is another matter."""
    path = numbers_in(tmp_path / "a.parquet", compression="gzip", use_dictionary=False, write_statistics=False)
    data = bytearray(path.read_bytes())
    begin = data.index(b"\x1f\x8b")
    column = pq.read_metadata(path).row_group(0).column(0)
    room = column.data_page_offset + column.total_compressed_size - begin
    packed = {
        "empty": gzipped(b""),
        "endless": gzipped(bytes(8000))[:-8] * 40,
        "bomb": gzipped(bytes(1 << 19)),
        "twice": gzipped(bytes(4000)) + gzipped(bytes(4000)),
        "short": gzipped(bytes(100)),
    }[stream][:room]
    data[begin : begin + room] = packed.ljust(room, b"\0")
    path.write_bytes(data)
    assert sum(child.outcomes([path]).values()) == 1


def gzipped(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


def test_a_text_that_is_no_utf8_is_read_as_by_pyarrow(child: Child, tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table_of().select(["key"]), path, compression="none", use_dictionary=False)

    def change(data: bytearray) -> None:
        data[data.index(b"key-")] = 0xFF

    assert child.outcomes([changed(path, change)]) == {READ: 1}
