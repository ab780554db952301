"""One lazy Spark session for all tests that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pyspark
import pytest

import streamframes as sf
import tests.thoroughness  # noqa: F401  (registers the profile of `make test-long`)

# Every JVM of the tests, those of subprocesses too, runs thousands of queries once each: the second compiler of the
# JVM would take half of its time, and gain nothing; nor does verifying the classes of Spark again.
os.environ["SPARK_SUBMIT_OPTS"] = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote "
    # Without the second compiler the JVM keeps room for a fifth of the code that many queries make.
    "-XX:ReservedCodeCacheSize=240m"
)

SETTINGS = {
    # The data is small.
    "spark_sql_shuffle_partitions": "2",
    "spark_driver_memory": "2g",
    # A busy machine may take long to start a worker, to answer it, or to let it answer.
    "spark_python_authenticate_socketTimeout": "600s",
    "spark_network_timeout": "1200s",
    "spark_sql_broadcastTimeout": "1200",
}


def pytest_configure(config: pytest.Config) -> None:
    """Until 4.2, PySpark leaves some sockets to its own JVM to the garbage collection."""
    if tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 2):
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket.socket:ResourceWarning")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--master", default="local[2]", help="where the tests on Spark run")
    parser.addoption("--remote", help="the Connect server that the tests on Spark run on, such as sc://localhost")


@pytest.fixture(scope="session")
def spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A session with the library's own settings and those above, or one of a Connect server with none of them."""
    remote = request.config.getoption("--remote")
    if remote:
        from pyspark.sql import SparkSession

        session = SparkSession.builder.remote(remote).getOrCreate()
    else:
        session = sf.session("streamframes tests", master=request.config.getoption("--master"), **SETTINGS)
    yield session
    session.stop()
