"""One lazy Spark session for all tests that need one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import streamframes as sf


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with the library's own settings; few partitions, because the data is small."""
    session = sf.session(
        "streamframes tests", master="local[2]", spark_sql_shuffle_partitions="2", spark_driver_memory="2g"
    )
    yield session
    session.stop()
