"""A row's way through the library does not become longer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from scripts.row_way import MOST, is_too_long, queries, way_of

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("name", MOST)
def test_a_rows_way_is_no_longer_than_it_was(spark: Any, tmp_path: Path, name: str) -> None:
    way = way_of(queries(tmp_path)[name])
    assert not is_too_long(name, way), way
