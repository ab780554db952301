"""One lazy Spark session for all tests that need one, and how thorough the laws are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

import streamframes as sf
from streamframes.spark.session import UNCHECKED

# What `make test-long` runs; `make test` has a tenth of the examples.
settings.register_profile("long", settings.get_profile("ci"), max_examples=1_000)

SETTINGS = {
    # The data is small.
    "spark_sql_shuffle_partitions": "2",
    "spark_driver_memory": "2g",
    # Thousands of queries run once each: the second compiler of the JVM takes half of its time, and gains nothing.
    "spark_driver_extraJavaOptions": f"{UNCHECKED} -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    # A busy machine may take long to start a worker, to answer it, or to let it answer.
    "spark_python_authenticate_socketTimeout": "600s",
    "spark_network_timeout": "1200s",
    "spark_sql_broadcastTimeout": "1200",
}


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A local session with the library's own settings and those above."""
    session = sf.session("streamframes tests", master="local[2]", **SETTINGS)
    yield session
    session.stop()
