"""A Connect server gives what a local session gives; what it cannot do is refused by name."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.cluster.servers import ROOT, connect_server

pytestmark = pytest.mark.spark
ROCKS = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
SOME = "frames and (table or stream)"


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(
        tmp_path_factory.mktemp("connect"), {"spark.sql.streaming.stateStore.providerClass": ROCKS}
    ) as url:
        yield url


@pytest.mark.parametrize(
    "which", [pytest.param(SOME, id="some"), pytest.param(f"not ({SOME})", id="others", marks=pytest.mark.long)]
)
def test_every_verb_gives_the_results_on_record(remote: str, which: str) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "tests/golden", "--remote", remote, "-k", which]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr[-4000:]
