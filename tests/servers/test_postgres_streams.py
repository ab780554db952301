"""Streams into Postgres: the frames of the table of all rows, after kills and after the server was down."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest

import streamframes as sf
from benchmarks.killed import write_input
from benchmarks.killed_sinks import LOSS, compare, run_query
from tests.servers.postgres import PASSWORD, Server

pytestmark = [pytest.mark.servers, pytest.mark.spark]


@pytest.mark.parametrize("kills", [2, pytest.param(7, marks=pytest.mark.long)])
def test_a_killed_query_leaves_the_table_of_one_that_was_left_alone(
    spark: Any, postgres_server: Server, tmp_path: Path, kills: int
) -> None:
    for table in ("alone", "disturbed"):
        with psycopg.connect(postgres_server.url, autocommit=True) as connection:
            connection.execute(f"drop table if exists {table}")
    # What is left alone runs on the session of the tests.
    outcome = compare(tmp_path, kills, 1, 8 + 4 * kills, postgres_server.url, run_query)
    assert (outcome["known kills"], outcome["random kills"]) == (3, kills)
    assert outcome["rows"] > 100
    assert (outcome["lost"], outcome["twice"]) == (0, 0)
    assert outcome["equal"]


def test_a_query_stops_when_the_server_is_down_and_goes_on_when_it_is_back(
    spark: Any, postgres_server: Server, tmp_path: Path
) -> None:
    write_input(tmp_path / "all", seed=3, files=4)
    paths = sorted((tmp_path / "all").iterdir())
    (tmp_path / "in").mkdir()
    table = spark.read.parquet(str(tmp_path / "all"))
    rows = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    stream = sf.Stream(lateness="1 minute", fragments=True)
    frames = sf.frames(rows, LOSS, ts="rpt_time", by="router", stream=stream).agg(worst="max(drop_pct)")
    upsert = sf.sink.upsert(sf.sink.Postgres(postgres_server.url, table="down"))

    def run(*files: Path) -> None:
        for file in files:
            shutil.copy2(file, tmp_path / "in")
        writer = frames.writeStream.foreachBatch(upsert).option("checkpointLocation", str(tmp_path / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

    run(*paths[:2])
    postgres_server.stop()
    try:
        with pytest.raises(Exception, match=r"SinkError: table 'down' of Postgres .* cannot be written to:") as error:
            run(*paths[2:])
        assert PASSWORD not in str(error.value)
    finally:
        postgres_server.start()
    run()

    closed = sf.frames(table, LOSS, ts="rpt_time", by="router").agg(worst="max(drop_pct)")
    expected = closed.filter("frame_closed_by != 'end of data'").select("frame_id", "frame_rows", "worst").collect()
    with psycopg.connect(postgres_server.url) as connection:
        found = connection.execute("select frame_id, frame_rows, worst from down where frame_final").fetchall()
    assert sorted(found) == sorted(map(tuple, expected))
