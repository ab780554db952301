"""Watching: the last figures of queries, in whatever form they come, as values, tables and for Prometheus."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pyspark.sql import Row

import streamframes as sf
from streamframes.spark.failures import reason_in
from streamframes.spark.watching.batches import batch_of
from streamframes.spark.watching.endpoint import serve
from streamframes.spark.watching.exposition import CONTENT_TYPE, METRICS, exposed
from streamframes.spark.watching.figures import Figures
from streamframes.spark.watching.record import Record

INSTANT = datetime(2026, 1, 5, 10, 0, 30, tzinfo=UTC)
MICROS = int(INSTANT.timestamp()) * 1_000_000


def progress(number: int, run: str = "run", executed: bool = True, **figures: Any) -> dict[str, Any]:
    """The progress of a micro-batch as Spark writes it."""
    known = {"late_rows": 1, "open_frames": number, "waiting_rows": 3, "groups": 2, "results": 4, "fragments": 1}
    return {
        "id": "query-id",
        "runId": run,
        "name": "loss",
        "batchId": number,
        "timestamp": f"2026-01-05T10:01:{number:02}.000Z",
        "durationMs": {"addBatch": 400, "triggerExecution": 500} if executed else {"triggerExecution": 2},
        "eventTime": {"max": "2026-01-05T10:00:40.000Z", "watermark": "2026-01-05T10:00:30.000Z"},
        "stateOperators": [{"memoryUsedBytes": 1000, "numRowsTotal": 7}],
        "numInputRows": 10,
        "processedRowsPerSecond": 20.0,
        "observedMetrics": {"streamframes": Row(**{**known, **figures})} if executed else {},
    }


def test_a_batch_is_counted_once_and_an_idle_query_keeps_its_figures() -> None:
    record = Record(100)
    record.started("query-id", "loss")
    for each in (progress(0), progress(1, released_micros=MICROS), progress(1, released_micros=MICROS)):
        assert record.take(each)
    record.take(progress(2, executed=False))
    (found,) = record.figures()
    assert (found.query, found.state, found.batch, found.batches) == ("loss", "idle", 1, 2)
    assert (found.late_rows, found.results, found.fragments, found.input_rows) == (2, 8, 2, 20)
    assert (found.open_frames, found.waiting_rows, found.groups) == (1, 3, 2)
    assert (found.watermark, found.behind_newest, found.state_bytes, found.state_rows) == (INSTANT, 10, 1000, 7)
    assert found.behind_now is not None
    assert "watermark       2026-01-05 10:00:30+00:00, 10 s behind the newest row" in repr(found)


def test_a_batch_that_comes_late_is_counted_and_changes_nothing_else() -> None:
    record = Record(100)
    assert not record.take(progress(3))
    assert record.take(progress(0))
    (found,) = record.figures()
    assert (found.batch, found.open_frames, found.late_rows) == (3, 3, 2)
    assert [row["batch"] for row in record.history().to_pylist()] == [0, 3]


def test_a_restarted_query_counts_on_and_its_last_error_stays() -> None:
    record = Record(100)
    record.take(progress(0))
    record.ended("query-id", "the sink is down")
    assert record.figures()[0].state == "failed"
    record.started("query-id", "loss")
    record.take(progress(0, run="another"))
    (found,) = record.figures()
    assert (found.state, found.error, found.batches) == ("active", "the sink is down", 2)
    record.ended("query-id", None)
    assert record.figures()[0].state == "stopped"


def test_the_history_is_bounded_and_has_a_column_for_each_figure() -> None:
    record = Record(2)
    for number in range(4):
        record.take(progress(number, released_micros=MICROS, null_keys=5))
    table = record.history()
    assert table["batch"].to_pylist() == [2, 3]
    assert table["watermark"].to_pylist() == [INSTANT] * 2
    assert table["null_keys"].to_pylist() == [5, 5]
    assert table.schema.field("null_keys").type == pa.int64()
    assert record.figures()[0].others == {"null_keys": 20}


@pytest.mark.parametrize(
    ("released", "watermark"),
    [
        ({"released_before": 30}, 30),
        ({"released_before": "2026-01-05", "released_days": 20458}, date(2026, 1, 5)),
        ({"released_before": "2026-01-05 05:00:30", "released_micros": MICROS}, INSTANT),
        ({"released_before": None, "released_micros": None}, None),
    ],
)
def test_a_watermark_has_the_type_of_the_instants(released: dict[str, Any], watermark: Any) -> None:
    batch = batch_of(progress(0, **released))
    assert batch is not None
    assert batch.watermark == watermark


def test_figures_of_connect_come_apart_from_their_names() -> None:
    fields = [{"name": "late_rows"}, {"name": "released_micros"}]
    apart = {"streamframes": Row(values=[3, MICROS], schema={"type": "struct", "fields": fields})}
    batch = batch_of({**progress(0), "observedMetrics": apart})
    assert batch is not None
    assert (batch.figures, batch.watermark) == ({"late_rows": 3}, INSTANT)


def test_two_stages_of_a_query_are_added_and_the_slower_rules() -> None:
    both = {
        "streamframes": Row(late_rows=1, released_micros=MICROS),
        "streamframes_jam": Row(late_rows=2, released_micros=MICROS - 1_000_000),
        "of_somebody_else": Row(late_rows=100),
    }
    batch = batch_of({**progress(0), "observedMetrics": both})
    assert batch is not None
    assert (batch.figures, batch.watermark) == ({"late_rows": 3}, INSTANT - timedelta(seconds=1))


def test_prometheus_reads_what_is_written() -> None:
    odd = 'a "quoted" \\ name\nof two lines: \N{SNOWMAN}'
    queries = [
        Figures(
            "loss",
            "1",
            at=INSTANT,
            watermark=INSTANT,
            newest=INSTANT,
            late_rows=3,
            others={"null_keys": 2, "fill_rows": 7.5},
        ),
        Figures(odd, "2", state="failed", error=odd, watermark=40),
    ]
    families = {family.name: family for family in text_string_to_metric_families(exposed(queries))}
    values = {
        (sample.name, sample.labels["query"]): sample.value for each in families.values() for sample in each.samples
    }
    assert values["streamframes_late_rows_total", "loss"] == 3
    assert values["streamframes_watermark_timestamp_seconds", "loss"] == INSTANT.timestamp()
    assert values["streamframes_watermark_number", odd] == 40
    assert (values["streamframes_null_keys_total", "loss"], values["streamframes_fill_rows", "loss"]) == (2, 7.5)
    assert (values["streamframes_up", odd], values["streamframes_failed", odd]) == (0, 1)
    (error,) = families["streamframes_error_info"].samples
    assert error.labels == {"query": odd, "id": "2", "error": odd}
    for metric in METRICS:
        family = families[metric.name.removesuffix("_total") if metric.kind == "counter" else metric.name]
        assert (family.type, family.documentation) == (metric.kind, metric.help)
        assert (metric.kind == "counter") == metric.name.endswith("_total")


def test_the_endpoint_serves_one_page() -> None:
    endpoint = serve(lambda: "\N{SNOWMAN}\n", "127.0.0.1", 0)
    with urllib.request.urlopen(endpoint.url) as answer:
        assert (answer.read().decode(), answer.headers["Content-Type"]) == ("\N{SNOWMAN}\n", CONTENT_TYPE)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(endpoint.url.replace("/metrics", "/else"))
    refused.value.close()
    port = int(endpoint.url.rpartition(":")[2].partition("/")[0])
    with pytest.raises(sf.StreamFramesError, match=r"serve\(\) cannot listen on 127.0.0.1:"):
        serve(str, "127.0.0.1", port)
    endpoint.close()


TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    raise\n'
OURS = "streamframes.errors.StreamFramesError: a row is late: [x] y\n\n SQLSTATE: 38000\n"
QUERY = "[STREAM_FAILED] Query [id = 1, runId = 2] terminated with exception: [P] An error: "
TASK = (
    "Job aborted due to stage failure: Task 0 in stage 4.0 failed 1 times, most recent failure: Lost task 0.0 in "
    "stage 4.0 (TID 7) (host executor driver): org.apache.spark.SparkException: "
)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"{QUERY}{TRACEBACK}{OURS}=== Streaming Query ===\n{TRACEBACK}ValueError: another", "a row is late: [x] y"),
        (f"{TRACEBACK}{OURS}\n\nDuring handling:\n{TRACEBACK}OSError: theirs", "a row is late: [x] y"),
        (f"{TRACEBACK}ConnectionError: refused\nsecond line\n", "ConnectionError: refused"),
        (f"{TRACEBACK}pyspark.errors.exceptions.captured.NumberError: [NO_NUMBER] None.\n== SQL ==", "None."),
        (f"{TASK}[OOPS] It broke. SQLSTATE: 1\n\tat org.apache\n\nDriver stacktrace:", "It broke."),
        ("(STREAM_FAILED) [PYTHON_EXCEPTION] [session: a-b] [userId: ] Found error", "Found error"),
    ],
)
def test_the_reason_is_what_was_raised_and_not_what_wraps_it(text: str, line: str) -> None:
    assert reason_in(text) == line
    assert sf.reason(RuntimeError(text)) == line


def test_what_cannot_be_watched_is_refused() -> None:
    with pytest.raises(sf.InvalidArgument, match=r"watch\(\) got a str; give a query that has started, or a session"):
        sf.watch("loss")
    with pytest.raises(sf.InvalidArgument, match=r"watch\(\) got history=0"):
        sf.watch("loss", history=0)


HIGH = sf.Threshold("loss > 0.3")


def reports(spark: Any, folder: Path, *batches: str) -> Any:
    """A stream with a micro-batch for each text; each word in it is a row."""
    folder.mkdir(exist_ok=True)
    for number, batch in enumerate(batches):
        file = folder / f"{number}.csv"
        file.write_text(
            "\n".join(f"{row.split(',')[0]},2026-01-05 10:00:{row.split(',', 1)[1]}" for row in batch.split())
        )
        os.utime(file, (1_000 + number, 1_000 + number))
    reader = spark.readStream.schema("router string, ts timestamp, loss double").option("maxFilesPerTrigger", 1)
    return reader.csv(str(folder))


@pytest.fixture(scope="module")
def watched(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Any]]:
    """A query that has read three files, and waits for more; and what watches it."""
    rows = ("r1,00,0.6 r1,20,0.7 r1,40,0.1", "r1,30,0.8 r1,50,0.1", "r1,10,0.9 r1,59,0.1 r2,59,0.1")
    stream = reports(spark, tmp_path_factory.mktemp("watched") / "in", *rows)
    frames = sf.frames(stream, HIGH, ts="ts", by="router", lateness="10 seconds").toDF()
    query = frames.writeStream.format("noop").queryName("loss").start()
    with sf.watch(query) as watch:
        query.processAllAvailable()
        yield query, watch
        query.stop()


@pytest.mark.spark
def test_a_query_is_watched_and_its_watermark_is_the_true_one(watched: tuple[Any, Any]) -> None:
    query, watch = watched
    found = watch.figures()
    assert found.watermark == datetime(2026, 1, 5, 10, 0, 49, tzinfo=UTC)
    assert {each["eventTime"]["watermark"] for each in query.recentProgress} >= {"2026-01-05T10:00:49.000Z"}
    assert (found.late_rows, found.results, found.open_frames, found.waiting_rows) == (1, 1, 0, 3)
    assert (found.query, found.input_rows, found.behind_newest) == ("loss", 8, 10)
    assert watch.toArrow()["groups"].to_pylist()[1] == 1
    assert found.state_rows > 0
    assert watch.figures("loss") == watch.figures(query) == watch.queries["loss"]
    with pytest.raises(sf.InvalidArgument, match="figures of 'jam' are not there; the queries are loss"):
        watch.figures("jam")


@pytest.mark.spark
def test_the_history_of_a_query_is_a_table(watched: tuple[Any, Any]) -> None:
    _, watch = watched
    table = watch.toDF()
    assert table.selectExpr("sum(late_rows)", "sum(results)", "sum(input_rows)").collect() == [(1, 1, 8)]
    assert watch.toPandas()["batch"].tolist() == sorted(row.batch for row in table.collect())


@pytest.mark.spark
def test_a_query_is_scraped(watched: tuple[Any, Any]) -> None:
    _, watch = watched
    watch.figures()
    with urllib.request.urlopen(watch.serve()) as answer:
        families = {each.name: each for each in text_string_to_metric_families(answer.read().decode())}
    assert families["streamframes_late_rows"].samples[0].value == 1
    assert families["streamframes_up"].samples[0].labels["query"] == "loss"


@pytest.mark.spark
def test_a_session_is_watched_and_a_failure_has_its_reason(spark: Any, tmp_path: Path) -> None:
    stream = reports(spark, tmp_path / "in", "r1,00,0.6 r1,20,0.7")

    def down(batch: Any, number: int) -> None:
        raise ConnectionError("the sink is down")

    with sf.watch(spark) as watch:
        query = stream.writeStream.foreachBatch(down).queryName("down").start()
        with pytest.raises(sf.StreamFramesError, match=r"^ConnectionError: the sink is down$") as raised:
            sf.watch(query).awaitTermination()
        assert raised.value.__suppress_context__
        assert sf.reason(query) == "ConnectionError: the sink is down"
        found = sf.watch(query).figures()
        assert (found.state, found.error) == ("failed", "ConnectionError: the sink is down")
        deadline = datetime.now(UTC) + timedelta(minutes=2)
        while "down" not in watch.queries or watch.queries["down"].state != "failed":
            assert datetime.now(UTC) < deadline, watch
        assert watch.figures("down").error == "ConnectionError: the sink is down"
        assert "error           ConnectionError: the sink is down" in repr(watch)
        with pytest.raises(sf.InvalidArgument, match="waits for one query"):
            watch.awaitTermination()
