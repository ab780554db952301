"""The SQL of the dashboard runs on tables that the sink makes, with fragments and without."""

from __future__ import annotations

import datetime as dt

import psycopg
import pyarrow as pa
import pytest

import streamframes as sf
from tests.servers.postgres import Server
from tests.sinks.batches import batch_of
from tests.test_dashboard import statements

pytestmark = pytest.mark.servers

START = dt.datetime(2026, 1, 5, 10, tzinfo=dt.UTC)
MINUTE = dt.timedelta(minutes=1)


@pytest.mark.parametrize("fragments", [False, True])
def test_the_timeline_shows_frames_and_says_which_go_on(postgres_server: Server, fragments: bool) -> None:
    instants = pa.array([START, START + MINUTE, START - 2 * 1440 * MINUTE], pa.timestamp("us", "UTC"))
    columns = {"frame_id": [1, 2, 3], "router": ["r1", None, "r3"], "frame_start": instants, "frame_end": instants}
    more = {"frame_fragment": [0, 0, 0], "frame_final": [True, False, True]} if fragments else {}
    schema = f"dashboard_{fragments}".lower()
    with psycopg.connect(**postgres_server.settings, autocommit=True) as connection:
        connection.execute(f"create schema {schema}")
        connection.execute(f"set search_path to {schema}")
        target = sf.sink.Postgres(postgres_server.url, table="loss", schema=schema)
        target.write(batch_of(pa.table({**columns, **more})))
        panel, tables, groups = (connection.execute(text).fetchall() for text in statements())
    end = dt.timedelta(milliseconds=1)
    assert panel == [
        (START, "r1", 1),
        (START + end, "r1", None),
        (START + MINUTE, "null", 2 if fragments else 1),
        (START + MINUTE + end, "null", None),
    ]
    assert tables == [("loss",)]
    assert groups == [("router",)]
