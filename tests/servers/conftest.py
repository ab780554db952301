"""Real servers for the tests here, each started when the first test needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.servers import postgres


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
