"""Exactly once: whatever is killed on the way, sinks have the frames of the table of the same rows in the end."""

from __future__ import annotations

import json
import random
import sqlite3
from collections import defaultdict
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pytest
from psycopg.rows import dict_row

from tests.servers.kafka import read, send
from tests.servers.killing import disturbed
from tests.servers.postgres import Server
from tests.servers.reports import arrived
from tests.servers.ways import filled, frames_of

pytestmark = [pytest.mark.spark, pytest.mark.servers, pytest.mark.long]

OFFSETS = 150
RANDOM_KILLS = 3
# After these batches, once each: what was written is in the sink, and Spark does not know it.
DIE = {"kafka": [2], "sqlite": [4], "fill": [6], "postgres": [3]}


def sent(spark: Any, kafka: str, topic: str, seed: int) -> Any:
    """The reports as a table, after they have been sent one by one in their order."""
    parts = arrived(seed)
    form = {"timestampFormat": "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX", "timeZone": "UTC"}
    for part in parts:
        rows = spark.createDataFrame(part).coalesce(1)
        options = ", ".join(f"'{key}', \"{value}\"" for key, value in form.items())
        send(rows.selectExpr("'one' key", f"to_json(struct(*), map({options})) value"), kafka, topic)
    return spark.createDataFrame(pa.concat_tables(parts))


def messages(spark: Any, kafka: str, topic: str) -> dict[str, list[tuple[tuple[int, bool], dict[str, Any]]]]:
    """What a topic says of each key, with what tells which message is newer."""
    found = defaultdict(list)
    for row in read(spark.read, kafka, topic, includeHeaders="true").load().collect():
        headers = {each.key: bytes(each.value).decode() for each in row.headers}
        newer = int(headers["fragment"]), headers["final"] == "true"
        found[bytes(row.key).decode()].append((newer, json.loads(bytes(row.value))))
    return found


def plain(rows: list[dict[str, Any]], names: tuple[str, ...]) -> list[str]:
    """Rows of any sink in no order, with instants and ids as numbers."""
    return sorted(repr([_plain(name, row[name]) for name in names]) for row in rows)


def _plain(name: str, value: Any) -> Any:
    if name in ("frame_start", "frame_end"):
        value = datetime.fromisoformat(value) if isinstance(value, str) else value
        return round((value if value.tzinfo else value.astimezone()).timestamp() * 1e6)
    return int(value) if name == "frame_id" else value


def table_of(path: Path, name: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f'SELECT * FROM "{name}"')]


FRAMES = ("frame_id", "router", "frame_start", "frame_end", "frame_rows", "frame_closed_by")
FILLED = (*FRAMES, "n", "worst")


def test_sinks_have_the_frames_of_the_table_after_many_kills(
    spark: Any, kafka: str, postgres_server: Server, tmp_path: Path
) -> None:
    rows, probes = sent(spark, kafka, "reports_killed", 1), sent(spark, kafka, "probes_killed", 2)
    way: dict[str, Any] = {
        "kafka": kafka,
        "reports": "reports_killed",
        "probes": "probes_killed",
        "out": "episodes",
        "die": DIE,
    }
    way["postgres"] = postgres_server.url
    (tmp_path / "way.json").write_text(json.dumps({**way, "offsets": OFFSETS}))
    killed = disturbed("tests.servers.ways", tmp_path, RANDOM_KILLS, random.Random(5))
    assert killed >= 5
    expected = plain([row.asDict() for row in frames_of(rows).collect()], FRAMES)
    assert len(expected) > 20

    topic = messages(spark, kafka, "episodes")
    for key, each in topic.items():
        said = defaultdict(set)
        for newer, value in each:
            said[newer].add(json.dumps(value, sort_keys=True))
            assert value["frame_id"] == key
        assert all(len(values) == 1 for values in said.values()), "duplicates are identical"
    assert plain([max(each, key=lambda one: one[0])[1] for each in topic.values()], FRAMES) == expected
    assert plain(table_of(tmp_path / "episodes.db", "frames"), FRAMES) == expected
    wanted = [row.asDict() for row in filled(rows, probes).collect()]
    with psycopg.connect(**postgres_server.settings, row_factory=dict_row) as connection:
        found = {name: connection.execute(f"SELECT * FROM {name}_episodes").fetchall() for name in ("frames", "filled")}
    assert plain(found["frames"], FRAMES) == expected
    assert plain(found["filled"], FILLED) == plain(wanted, FILLED)
