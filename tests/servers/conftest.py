"""Real servers for the tests here, each started when the first test needs it, and a session with Kafka's connector."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

import streamframes as sf
from tests.conftest import SETTINGS
from tests.servers import postgres
from tests.servers.kafka import avro, broker, connector


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    jars = f"{connector()},{avro()}"
    session = sf.session("streamframes servers", master="local[2]", spark_jars=jars, **SETTINGS)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a broker."""
    with broker(tmp_path_factory.mktemp("kafka")) as address:
        yield address


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A private Postgres; where there is none, tests are left out, but not in CI."""
    try:
        postgres.programs()
    except postgres.Missing as missing:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(missing))
    with postgres.cluster() as server:
        yield server
