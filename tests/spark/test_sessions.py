"""Nested sessions on Spark: tables tell the truth of logs, streams tell what tables tell, sessions are frames."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F

import streamframes as sf
from streamframes import data

pytestmark = pytest.mark.spark

SHARED = Path(__file__).parents[3] / "shared" / "data" / "5_eventlogs"
QUERIES = {
    "q1": "System.avg(Call.duration(ts))",
    "q2": "System.avg(Call.sum(ATT.duration(ts)))",
    "q5": "System.avg(FAQ.duration(ts))",
}


def tree(closes: str = "event_type = 104", **call: Any) -> sf.Session:
    """System > Call > ATT > FAQ."""
    faq = sf.Session(
        "FAQ", opens="step_num = 342 and expression = 'FAQ'", closes="step_num = 342 and expression <> 'FAQ'"
    )
    att = sf.Session(
        "ATT",
        opens="event_type = 500 and expression = 'ATT'",
        closes="step_num = 342 and expression = '#'",
        parts=[faq],
    )
    return sf.Session(
        "System",
        parts=[sf.Session("Call", key="channel", opens="event_type = 102", closes=closes, parts=[att], **call)],
    )


def last_values(measures: Any) -> dict[str, float]:
    """The last value of each measure."""
    found = measures.groupBy("measure").agg(F.max_by("value", "ts").alias("value")).collect()
    return {row.measure: row.value for row in found}


@pytest.fixture(scope="module")
def figure(spark: Any) -> Any:
    return spark.createDataFrame(data.figure_call().to_pandas())


def test_the_log_of_the_paper(figure: Any) -> None:
    calls = sf.sessions(figure, tree(), ts=["ts", "seq"], measures={**QUERIES, "visits": "Call.count(ATT)"})
    found = {row.frame_class: row for row in calls.sessions().collect()}
    seconds = {name: (row.frame_end - row.frame_start).total_seconds() for name, row in found.items()}
    assert seconds == {"Call": 235, "ATT": 219, "FAQ": 113}
    assert {name: row.frame_rows for name, row in found.items()} == {"Call": 22, "ATT": 18, "FAQ": 10}
    assert {row.frame_closed_by for row in found.values()} == {"condition"}
    assert found["FAQ"].frame_parent == found["ATT"].frame_id
    assert found["ATT"].frame_parent == found["Call"].frame_id
    assert {row.channel for row in found.values()} == {21}
    assert last_values(calls.measures()) == {"q1": 235.0, "q2": 219.0, "q5": 113.0, "visits": 1.0}
    tagged = calls.tag("Call", "FAQ").orderBy("seq").collect()
    assert [row.seq for row in tagged] == list(range(2, 24))
    assert {row.seq for row in tagged if row.FAQ_id is not None} == set(range(7, 17))
    unmatched = {row["class"]: row.unmatched_closes for row in calls.diagnostics().collect()}
    assert unmatched == {"System": 0, "Call": 0, "ATT": 0, "FAQ": 2}
    (left,) = calls.open().collect()
    assert (left.frame_class, left.frame_rows, left.q1) == ("System", 23, 235.0)
    assert found["Call"].frame_parent == left.frame_id


@pytest.mark.parametrize("number", [10_000, pytest.param(100_000, marks=pytest.mark.long)])
def test_the_queries_of_the_paper_on_many_calls(spark: Any, tmp_path: Path, number: int) -> None:
    made = data.calls(number, 60, seed=3)
    pq.write_table(made.table, tmp_path / "log.parquet")
    log = spark.read.parquet(str(tmp_path / "log.parquet"))
    calls = sf.sessions(log, tree(), ts=["ts", "seq"], measures=QUERIES)
    wanted = {"q1": made.average_call(), "q2": made.average_att(), "q5": made.average_faq()}
    assert last_values(calls.measures()) == pytest.approx(wanted, rel=1e-12)
    truth = made.episodes.to_pandas().groupby(["frame_class", "frame_closed_by"]).frame_rows.agg(["size", "sum"])
    counted = (
        calls.sessions().groupBy("frame_class", "frame_closed_by").agg(F.count("*"), F.sum("frame_rows")).collect()
    )
    assert {(a, b): (n, rows) for a, b, n, rows in counted} == {
        key: tuple(row) for key, row in zip(truth.index, truth.to_numpy().tolist(), strict=True)
    }
    # Q3: the fifth access closes the call.
    limited = sf.sessions(log, tree("event_type = 104 or Call.count(ATT) > 4"), ts=["ts", "seq"]).sessions("Call")
    cut = [(row["channel"], row["frame_start"], row["fifth_att"] or row["frame_end"]) for row in made.calls.to_pylist()]
    found = [(row.channel, row.frame_start, row.frame_end) for row in limited.collect()]
    assert sorted(found) == sorted((n, *(each.replace(tzinfo=None) for each in edges)) for n, *edges in cut)
    assert any(row["fifth_att"] for row in made.calls.to_pylist())
    # Q4: the last 1000 calls that had AT&T.
    last = sf.sessions(
        log, tree(), ts=["ts", "seq"], measures={"q4": "System.avg(Call.sum(ATT.duration(ts)), last=1000)"}
    )
    assert "one bucket" in last.explain()
    visited = [row["att_seconds"] for row in made.calls.to_pylist() if row["att_seconds"] is not None]
    told = last.measures().orderBy(F.desc("ts")).first()
    assert told.value == pytest.approx(np.mean(visited[-1000:]))


def random_log(seed: int, n: int = 1500) -> pa.Table:
    """Events of users with pages, with silences, ties and nulls."""
    rng = np.random.default_rng(seed)
    ts = np.cumsum(rng.choice([0, 1, 1, 2, 30], n))
    user = rng.integers(0, 6, n).astype(object)
    user[rng.random(n) < 0.02] = None
    page = rng.choice(["a", "b", "c", None], n)
    return pa.table(
        {
            "ts": pa.array(ts * 1_000_000, pa.timestamp("us", "UTC")),
            "seq": pa.array(range(n)),
            "user": pa.array(user, pa.int64()),
            "page": pa.array(page.tolist(), pa.string()),
            "code": pa.array(rng.integers(0, 9, n)),
            "bytes": pa.array(rng.random(n)),
        }
    )


VISITS = sf.Session(
    "Visit",
    key="user",
    opens="code <> 0",
    closes="code = 1 and rows > 3",
    timeout="40 seconds",
    attributes={"entry": "first(page)", "bytes": "sum(bytes)", "spread": "stddev(bytes)"},
    on_close={"rate": lambda rows, duration: rows / (duration + 1)},
    parts=[
        sf.Session("Page", key="page", closes="code = 2 or opening.code = code", timeout="10 seconds"),
        sf.Session("Rush", matches="code > opening.code", opens="code < 3", timeout="5 seconds"),
    ],
)
VISIT_MEASURES = {
    "pages": "Visit.count(Page)",
    "longest": "Visit.max(Page.duration(ts))",
    "spent": "Visit.sum(Page.rows)",
}


def write_arrivals(table: pa.Table, folder: Path, files: int, lateness: int, seed: int) -> None:
    """The rows as they arrive: each late by less than the lateness; then a row far ahead."""
    folder.mkdir()
    rng = np.random.default_rng(seed)
    ts = table.column("ts").cast(pa.int64()).to_numpy()
    order = np.argsort(ts + rng.integers(0, lateness * 1_000_000, len(ts)), kind="stable")
    for i, part in enumerate(np.array_split(order, files)):
        pq.write_table(table.take(pa.array(part)), folder / f"{i:03}.parquet")
        os.utime(folder / f"{i:03}.parquet", (1_000 + i, 1_000 + i))


def run(stream: Any, path: Path) -> Any:
    """Run a query until all files are read."""
    writer = stream.writeStream.format("parquet").option("path", str(path / "out"))
    query = writer.option("checkpointLocation", str(path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def spelled(rows: Any, but: str = "") -> list[str]:
    return sorted(repr(sorted((k, v) for k, v in row.asDict().items() if k != but)) for row in rows)


def test_a_stream_tells_what_the_table_tells(spark: Any, tmp_path: Path) -> None:
    table = random_log(5)
    write_arrivals(table, tmp_path / "in", 3, 20, seed=1)
    rows = spark.read.parquet(str(tmp_path / "in"))
    stream = spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    measures = {"measures": VISIT_MEASURES, "ts": ["ts", "seq"]}
    batch = sf.sessions(rows, VISITS, **measures)
    live = sf.sessions(stream, VISITS, lateness="20 seconds", **measures)
    query = run(live.sessions(), tmp_path / "sessions")
    released = query.lastProgress["observedMetrics"]["streamframes"]
    assert sum(p["observedMetrics"]["streamframes"]["null_keys"] for p in query.recentProgress) > 0
    # Up to where the stream has released events, it has told what the table tells.
    point = pd.Timestamp(released["released_before"]).tz_localize(None) - pd.Timedelta(seconds=41)
    early = F.col("frame_end") < F.lit(str(point)).cast("timestamp")
    found = spark.read.parquet(str(tmp_path / "sessions" / "out"))
    wanted = batch.sessions().filter("frame_closed_by <> 'end of data'")
    assert {row.frame_closed_by for row in found.collect()} == {"condition", "parent", "timeout"}
    assert spelled(found.filter(early).collect()) == spelled(wanted.filter(early).collect())
    assert len({row.frame_id for row in found.collect()}) == found.count() > 200
    run(live.measures(), tmp_path / "measures")
    told = spark.read.parquet(str(tmp_path / "measures" / "out"))
    before = F.col("ts") < F.lit(str(point)).cast("timestamp")
    assert spelled(told.filter(before).collect()) == spelled(batch.measures().filter(before).collect())


def test_a_restarted_stream_with_orders_goes_on(spark: Any, tmp_path: Path) -> None:
    made = data.calls(120, 6, seed=8)
    write_arrivals(made.table, tmp_path / "all", 4, 60, seed=2)
    (tmp_path / "in").mkdir()
    (tmp_path / "orders").mkdir()
    schema = spark.read.parquet(str(tmp_path / "all")).schema

    def live() -> Any:
        stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
        orders = spark.readStream.schema("action string, name string, expression string").json(str(tmp_path / "orders"))
        calls = sf.sessions(
            stream, tree(), ts=["ts", "seq"], measures=QUERIES, stream=sf.Stream(lateness="60 seconds", control=orders)
        )
        return calls.measures()

    def order(number: int, *told: tuple[str, str, str | None]) -> None:
        lines = [json.dumps({"action": a, "name": n, "expression": e}) for a, n, e in told]
        (tmp_path / "orders" / f"{number}.json").write_text("\n".join(lines))

    for i in range(2):
        os.link(tmp_path / "all" / f"{i:03}.parquet", tmp_path / "in" / f"{i:03}.parquet")
    run(live(), tmp_path)
    first = {row.measure for row in spark.read.parquet(str(tmp_path / "out")).collect()}
    assert first == {"q1", "q2", "q5"}
    order(1, ("add", "calls", "System.count(Call)"), ("drop", "q5", None), ("add", "no", "System.nothing(Call)"))
    order(2, ("add", "steps", "Call.max(step_num * 2) on_close"), ("add", "q1", "System.count(Call)"))
    for i in range(2, 4):
        os.link(tmp_path / "all" / f"{i:03}.parquet", tmp_path / "in" / f"{i:03}.parquet")
    query = run(live(), tmp_path)
    assert sum(p["observedMetrics"]["streamframes"]["refused_commands"] for p in query.recentProgress) == 2
    told = spark.read.parquet(str(tmp_path / "out"))
    values = last_values(told.filter("class = 'System'"))
    log = spark.read.parquet(str(tmp_path / "all"))
    # Measures of the plan went through the restart; an added one began when it was ordered.
    seen = sf.sessions(log, tree(), ts=["ts", "seq"], measures=QUERIES).measures()
    assert told.filter("measure = 'q1'").join(seen, ["ts", "measure", "value"], "left_anti").count() == 0
    assert 0 < values["calls"] < 120
    steps = told.filter("measure = 'steps'")
    assert steps.count() > 0
    assert steps.filter("value % 2 = 1").count() == 0


def test_sessions_are_frames(spark: Any, figure: Any) -> None:
    calls = sf.sessions(figure, tree(), ts=["ts", "seq"])
    frames = calls.frames("FAQ")
    (filled,) = frames.fill(figure, ts="ts", n="count(*)").collect()
    assert (filled.frame_class, filled.n) == ("FAQ", 10)
    (own,) = frames.agg(steps="max(step_num)").collect()
    assert own.steps == 380
    assert frames.tag().count() == 10
    (wider,) = frames.expand(before="8 seconds").toDF().collect()
    assert (wider.frame_end - wider.frame_start).total_seconds() == 121
    pairs = sf.overlaps(calls.sessions("FAQ"), calls.sessions("ATT"), by="channel")
    assert pairs.count() == 1


def test_rows_belong_to_the_sessions_of_all_their_keys(spark: Any) -> None:
    rows = spark.createDataFrame(
        [(1, "a", "x"), (2, "a", "y"), (3, "a", "x"), (4, "a", "y")], "t int, u string, p string"
    )
    inner = sf.Session("User", key="u", parts=[sf.Session("Page", key="p")])
    found = sf.sessions(rows, inner, ts="t").frames("Page").fill(rows, ts="t", n="count(*)")
    assert {(row.p, row.n) for row in found.collect()} == {("x", 2), ("y", 2)}
    # Also where a measure sends all events through one place.
    root = sf.Session("All", parts=[sf.Session("Page", key="p")])
    pages = sf.sessions(rows, root, ts="t", measures={"m": "All.last(Page.rows)"}).frames("Page")
    assert {row.n for row in pages.fill(rows, ts="t", n="count(*)").collect()} == {2}
    assert {row.n for row in pages.expand(after=5).agg(n="count(*)").collect()} == {2}
    with pytest.raises(sf.InvalidArgument, match="two columns called 'frame_rows'"):
        pages.agg(frame_rows="count(*)")


def test_several_trees_over_several_sources(spark: Any, figure: Any) -> None:
    other = spark.createDataFrame([(1, 5, True), (1, 9, False), (2, 7, True)], "host int, at int, up boolean")
    up = sf.Session("Up", key="host", opens="up", closes="not up", source="hosts")
    calls = sf.Session("Call", key="channel", opens="event_type = 102", closes="event_type = 104", source="log")
    hosts = sf.sessions({"hosts": other}, up, ts="at", measures={"n": "Up.count(*)"})
    assert {(row.host, row.frame_rows, row.frame_closed_by) for row in hosts.sessions().collect()} == {
        (1, 2, "condition"),
        (2, 1, "end of data"),
    }
    both = sf.sessions(
        {"log": figure, "hosts": other.selectExpr("host", "timestamp_seconds(at) as ts", "up", "at as seq")},
        [calls, up],
        ts=["ts", "seq"],
    )
    assert sorted(row.frame_class for row in both.sessions().collect()) == ["Call", "Up", "Up"]


BAD: list[tuple[dict[str, Any], str]] = [
    ({"ts": "when"}, "the columns are"),
    ({"measures": ["q1"]}, "dict from names"),
    ({"measures": {"a b": "Call.count(ATT)"}}, "name like"),
    ({"measures": {"q": "Call.sum(nothing)"}}, "nothing"),
    ({"prefix": "1"}, "prefix"),
    ({"tree": tree("expression")}, "write a condition"),
    ({"tree": tree("lenght(expression) = 1")}, "Spark cannot evaluate"),
    ({"tree": tree(attributes={"channel": "first(descr)"})}, "two columns called 'channel'"),
    ({"control": True}, "control"),
    ({"tree": tree(attributes={"n": "max(step_num)"}), "measures": {"n": "Call.count(ATT)"}}, "two values called 'n'"),
    ({"tree": tree("rows > 3 and Foo.rows > 1")}, "Foo"),
]


@pytest.mark.parametrize(("change", "told"), BAD)
def test_bad_input_is_refused_before_a_job_starts(figure: Any, change: dict[str, Any], told: str) -> None:
    settings = {"tree": tree(), "ts": ["ts", "seq"], **change}
    options = {"stream": sf.Stream(control=figure)} if settings.pop("control", False) else {}
    with pytest.raises(sf.InvalidArgument) as caught:
        sf.sessions(figure, settings.pop("tree"), **settings, **options).sessions()
    assert told in str(caught.value)


@pytest.mark.skipif(not SHARED.exists(), reason="the folder of real logs is not here")
def test_a_real_call_centre(spark: Any) -> None:
    events = pd.read_csv(SHARED / "bank_call_centre_1999_02_events.csv.gz", parse_dates=["time"])
    # At one second a call begins before its phases, and ends after them.
    rank = "case when edge = 'begin' then if(phase = 'call', 0, 1) else if(phase = 'call', 3, 2) end as rank"
    log = spark.createDataFrame(events).selectExpr("*", rank)

    def phase(name: str) -> sf.Session:
        return sf.Session(
            name, opens=f"phase = '{name}' and edge = 'begin'", closes=f"phase = '{name}' and edge = 'end'"
        )

    columns = {"vru": ("vru_entry", "vru_exit"), "queue": ("q_start", "q_exit"), "service": ("ser_start", "ser_exit")}
    call = sf.Session(
        "Call", key="call", opens="phase = 'call' and edge = 'begin'", closes="phase = 'call' and edge = 'end'",
        parts=[phase(name) for name in columns],
    )  # fmt: skip
    found = sf.sessions(log, call, ts=["time", "rank"]).sessions().toPandas()
    closed = found[found.frame_closed_by == "condition"]
    wide = pd.read_csv(
        SHARED / "bank_call_centre_1999_02.csv.gz", parse_dates=[c for pair in columns.values() for c in pair]
    )
    assert (closed.frame_class == "Call").sum() == len(wide) == 33344
    # Both name a call alike: line, number and day.
    wide["call"] = wide.vru_line + "-" + wide.call_id.astype(str) + "-" + pd.to_datetime(wide.date).dt.strftime("%m%d")
    whole = closed[closed.frame_class == "Call"].set_index("call")
    for name, (start, end) in columns.items():
        there = wide[wide[start].notna() & (wide[end] >= wide[start])]
        begin, stop = (there.call.map(whole[edge]) for edge in ("frame_start", "frame_end"))
        inside = there[(there[start] >= begin) & (there[end] <= stop)]
        mine = closed[closed.frame_class == name]
        assert len(mine) == len(inside)
        assert (mine.frame_end - mine.frame_start).sum() == (inside[end] - inside[start]).sum()
        # What is left out is what the catalogue of the data names: ends before starts, phases outside of their call.
        assert len(wide[wide[start].notna()]) - len(inside) <= 60


@pytest.mark.skipif(not SHARED.exists(), reason="the folder of real logs is not here")
def test_virtual_machines_of_a_real_log(spark: Any) -> None:
    lines = pd.read_csv(SHARED / "loghub_openstack_2k.csv.gz")
    lines["ts"] = pd.to_datetime(lines.Date + " " + lines.Time)
    lines["vm"] = lines.Content.str.extract(r"\[instance: ([0-9a-f-]{36})\]")
    log = spark.createDataFrame(lines[["LineId", "ts", "vm", "Content"]])
    spawning = sf.Session(
        "Spawning", opens="Content like '%Creating image%'", closes="Content like '%spawned successfully%'"
    )
    gone = "Content like '%destroyed successfully%'"
    destroying = sf.Session("Destroying", opens="Content like '%Terminating instance%'", closes=gone)
    claim = "Content like '%Attempting claim%'"
    vm = sf.Session("VM", key="vm", opens=claim, closes=gone, parts=[spawning, destroying])
    machines = sf.sessions(log, vm, ts=["ts", "LineId"], measures={"phases": "VM.count(Spawning)"})
    found = machines.sessions().toPandas()
    lives = found[(found.frame_class == "VM") & (found.frame_closed_by == "condition")]
    claimed, destroyed = (
        set(lines[lines.Content.str.contains(text)].vm) for text in ("Attempting claim", "destroyed successfully")
    )
    assert set(lives.vm) == claimed & destroyed
    assert len(lives) == 21
    assert (lives.phases == 1).all()
    inner = found[found.frame_parent.isin(lives.frame_id)]
    assert (inner.groupby("frame_class").size() == 21).all()
    spent = found[found.frame_class == "Spawning"].eval("frame_end - frame_start").dt.total_seconds()
    assert 0 < spent.mean() < 60
    assert machines.diagnostics().filter("class = 'VM'").first().null_keys == int(lines.vm.isna().sum())
