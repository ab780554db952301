"""Pages that are not what Polars takes them for are left to PyArrow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamframes.core.files.parquet.page_headers import are_plain_pages

ROWS = 3_000


def chunk(path: Path, **options: Any) -> np.ndarray:
    """The bytes of a column of texts that repeat."""
    values = pa.array([f"key-{number % 50}" for number in range(ROWS)])
    pq.write_table(pa.table({"key": values}), path, data_page_size=1 << 10, **options)
    column = pq.read_metadata(path).row_group(0).column(0)
    start = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
    return np.fromfile(path, np.uint8)[start : start + column.total_compressed_size]


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_pages_of_the_first_version_are_plain(tmp_path: Path, codec: str, dictionary: bool) -> None:
    pages = chunk(tmp_path / "a.parquet", compression=codec, use_dictionary=dictionary)
    assert are_plain_pages(pages, ROWS)
    assert not are_plain_pages(pages, ROWS - 1)
    assert not any(are_plain_pages(pages[:end], ROWS) for end in range(0, pages.size, 97))


def test_pages_of_the_second_version_are_left_to_pyarrow(tmp_path: Path) -> None:
    assert not are_plain_pages(chunk(tmp_path / "a.parquet", data_page_version="2.0"), ROWS)


def test_levels_and_dictionaries_in_another_encoding_are_refused(tmp_path: Path) -> None:
    pages = chunk(tmp_path / "a.parquet", use_dictionary=False, write_statistics=False).tobytes()
    rle, packed = b"\x15\x06\x15\x06", b"\x15\x08\x15\x06"
    assert rle in pages
    assert not are_plain_pages(np.frombuffer(pages.replace(rle, packed, 1), np.uint8), ROWS)
    pages = chunk(tmp_path / "a.parquet").tobytes()
    # A dictionary of 50 values, plain, and then in another encoding.
    plain, other = b"\x15\x64\x15\x00", b"\x15\x64\x15\x0a"
    assert plain in pages[:40]
    assert not are_plain_pages(np.frombuffer(pages.replace(plain, other, 1), np.uint8), ROWS)


def test_bytes_of_any_kind_are_walked_to_an_end() -> None:
    random = np.random.default_rng(0)
    for size in range(200):
        are_plain_pages(random.integers(0, 256, size).astype(np.uint8), ROWS)
