"""What the lazy value returns: frames, measures, tags, plans; and real data where it lies beside the project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyspark
import pytest

import streamframes as sf
from streamframes import data

pytestmark = pytest.mark.spark
SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(scope="module")
def routers() -> Any:
    return data.routers(rows=6_000, routers=5, seed=1)


@pytest.fixture(scope="module")
def reports(spark: Any, routers: Any) -> Any:
    return routers.toDF(spark).cache()


def loss(reports: Any, **options: Any) -> Any:
    return sf.frames(
        reports, sf.Threshold("drop_pct > 0.3", min_duration="2 minutes"), ts="rpt_time", by="router", **options
    )


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted where Linux lists them")
def test_workers_are_forked_from_a_process_that_has_the_library_loaded_and_a_single_thread(spark: Any) -> None:
    def told(batches: Any) -> Any:
        parent = Path("/proc") / str(os.getppid())
        command = (parent / "cmdline").read_text().split("\0")
        for _ in batches:
            yield pa.RecordBatch.from_pydict(
                {"module": [command[2]], "threads": [len(list((parent / "task").iterdir()))]}
            )

    (row,) = spark.range(1).mapInArrow(told, "module string, threads long").collect()
    assert tuple(row) == ("streamframes.spark.worker.daemon", 1)


def test_only_groups_and_measures_may_be_null(reports: Any) -> None:
    frames = loss(reports).agg(worst="max(drop_pct)")
    assert [field.name for field in frames.schema if field.nullable] == ["router", "worst"]


def test_planted_episodes_are_found_exactly(reports: Any, routers: Any) -> None:
    found = loss(reports).toDF().toArrow().select(routers.episodes.column_names)
    assert sorted(map(repr, found.cast(routers.episodes.schema).to_pylist())) == sorted(
        map(repr, routers.episodes.to_pylist())
    )


def test_measures_equal_what_spark_computes_over_the_tagged_rows(reports: Any) -> None:
    measures = {
        "n": "count(*)",
        "seen": "count(drop_pct)",
        "pkts": "avg(total_pkts)",
        "bytes": "sum(pkt_bytes)",
        "least": "min(rpt_time)",
        "worst": "max(drop_pct * 100)",
        "spread": "stddev(drop_pct)",
        "begins": "first(total_pkts)",
        "ends": "last(router)",
        "middle": "percentile(drop_pct, 0.5)",
        "kinds": "count(distinct total_pkts % 3)",
    }
    found = loss(reports).agg(**measures)
    assert found.columns[-len(measures) :] == list(measures)
    tagged = loss(reports).tag()
    names = {"begins": "min_by(total_pkts, rpt_time)", "ends": "max_by(router, rpt_time)"}
    columns = ", ".join(f"{names.get(name, text)} as {name}" for name, text in measures.items())
    tagged.createOrReplaceTempView("tagged")
    expected = tagged.sparkSession.sql(f"select frame_id, {columns} from tagged group by frame_id").toPandas()
    got = found.toPandas()[["frame_id", *measures]]
    assert found.select(*measures).dtypes == tagged.sparkSession.sql(f"select {columns} from tagged").dtypes
    assert len(got) > 3
    both = got.sort_values("frame_id").reset_index(drop=True), expected.sort_values("frame_id").reset_index(drop=True)
    for name in measures:
        exact = name in ("least", "ends")
        values = both[1][name].tolist()
        assert both[0][name].tolist() == (values if exact else pytest.approx(values, rel=1e-12))


def test_columns_work_like_text(reports: Any) -> None:
    from pyspark.sql import functions as F

    by_text = sf.frames(reports, sf.Threshold("drop_pct > 0.3"), ts="rpt_time", by="router").agg(top="max(drop_pct)")
    by_column = sf.frames(reports, sf.Threshold(F.col("drop_pct") > 0.3), ts="rpt_time", by="router").agg(
        top=F.max("drop_pct")
    )
    keep = [name for name in by_text.columns if name != "frame_id"]
    assert sorted(map(repr, by_text.select(keep).collect())) == sorted(map(repr, by_column.select(keep).collect()))


def test_tag_keeps_every_column_of_any_type_and_on_request_every_row(spark: Any) -> None:
    rows = spark.sql(
        """select id as scan, id % 3 = 0 as w, array(id, null) as list, map('a', id) as mapped,
           named_struct('x', id, 'd', date'2020-01-01') as nested, cast(id as decimal(10, 2)) as price,
           timestamp_ntz'2020-01-01 00:00:00' as at, cast('x' as binary) as raw,
           if(id = 4, null, 'g') as `the group` from range(12)"""
    )
    frames = sf.frames(rows, sf.Threshold("w"), ts="scan", by="the group")
    tagged = frames.tag()
    assert tagged.schema.names == [*rows.columns, "frame_id"]
    inside = rows.where("w").collect()
    assert sorted(map(repr, tagged.drop("frame_id").collect())) == sorted(map(repr, inside))
    everything = frames.tag(keep_outside=True)
    assert everything.where("frame_id is null").count() == 8
    assert sorted(map(repr, everything.drop("frame_id").collect())) == sorted(map(repr, rows.collect()))


def test_a_row_in_several_windows_is_tagged_once_for_each(spark: Any) -> None:
    rows = spark.range(10).withColumnRenamed("id", "scan")
    tagged = sf.frames(rows, sf.Every(4, slide=2), ts="scan").tag(keep_outside=True)
    assert tagged.groupBy("scan").count().where("count = 2").count() == 10


def test_ties_are_broken_by_the_columns_named_in_ts(spark: Any) -> None:
    rows = spark.createDataFrame([(1, 3, "c"), (1, 1, "a"), (1, 2, "b"), (2, 0, "d")], "ts long, seq long, v string")
    found = sf.frames(rows, sf.Count(2), ts=["ts", "seq"]).agg(first="first(v)", last="last(v)").collect()
    assert sorted((row["first"], row["last"]) for row in found) == [("a", "b"), ("c", "d")]


def test_a_schedule_holds_for_tables(spark: Any) -> None:
    rows = spark.sql("select timestamp_seconds(id * 20) as ts, true as w from range(10) where id not in (4, 5)")
    frames = sf.frames(rows, sf.Threshold("w"), ts="ts", schedule=sf.Schedule("20 seconds", missing="true"))
    found = frames.agg(n="count(*)", begins="first(ts)", ends="last(ts)").collect()
    assert [(row["frame_rows"], row["frame_imputed"], row["n"]) for row in found] == [(10, 2, 8)]
    assert [(row["begins"], row["ends"]) for row in found] == [(row["frame_start"], row["frame_end"]) for row in found]
    assert frames.tag().count() == 8
    ended = sf.frames(rows, sf.Threshold("w"), ts="ts", schedule="20 seconds").toDF().collect()
    assert sorted(row["frame_closed_by"] for row in ended) == ["end of data", "gap"]


def test_explain_says_which_way_the_rows_go(reports: Any) -> None:
    text = loss(reports).explain()
    for word in ("Threshold", "rpt_time", "where: drop_pct > 0.3", "8 buckets", "shuffle", "scan"):
        assert word in text
    assert repr(loss(reports)).startswith("Frames(Threshold(")


def test_a_prefix_names_the_columns(reports: Any) -> None:
    assert loss(reports, prefix="loss_").toDF().columns == [
        "router",
        "loss_id",
        "loss_start",
        "loss_end",
        "loss_rows",
        "loss_closed_by",
    ]


OVER_CONNECT = """
import sys
from pyspark.sql import SparkSession
import streamframes as sf

spark = SparkSession.builder.remote("local[2]").getOrCreate()
spark.conf.set("spark.sql.shuffle.partitions", "2")
rows = spark.read.parquet(sys.argv[1])
scheme = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
"""


def over_connect(code: str, folder: Path, reports: Any) -> list[str]:
    """The lines that a program prints which takes the reports through Connect."""
    reports.write.parquet(str(folder / "reports"))
    done = subprocess.run(
        [sys.executable, "-c", OVER_CONNECT + code, str(folder / "reports"), str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_frames_over_spark_connect_are_the_same(tmp_path: Path, reports: Any) -> None:
    code = """
frames = sf.frames(rows, scheme, ts="rpt_time", by="router")
print(type(rows).__module__)
print(*sorted(row.frame_id for row in frames.agg(worst="max(drop_pct)", middle="median(drop_pct)").collect()))
print(frames.tag().count())
"""
    module, ids, tagged = over_connect(code, tmp_path, reports)
    assert "connect" in module
    assert ids.split() == [str(i) for i in sorted(row.frame_id for row in loss(reports).toDF().collect())]
    assert int(tagged) == loss(reports).tag().count()


def test_a_stream_over_spark_connect_has_the_frames_of_the_table(tmp_path: Path, reports: Any) -> None:
    code = """
provider = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
spark.conf.set("spark.sql.streaming.stateStore.providerClass", provider)
live = spark.readStream.schema(rows.schema).parquet(sys.argv[1])
try:
    found = sf.frames(live, scheme, ts="rpt_time", by="router", lateness="0 seconds").agg(worst="max(drop_pct)")
except sf.InvalidArgument as refused:
    print(refused)
    sys.exit()
writer = found.writeStream.format("parquet").option("path", sys.argv[2] + "/out")
writer.option("checkpointLocation", sys.argv[2] + "/checkpoint").trigger(availableNow=True).start().awaitTermination()
print(*(row.frame_id for row in spark.read.parquet(sys.argv[2] + "/out").collect()))
"""
    (said,) = over_connect(code, tmp_path, reports)
    if tuple(map(int, pyspark.__version__.split(".")[:2])) < (4, 1):
        assert "frames() of a stream over Connect needs Spark 4.1 or newer" in said
        return
    closed = {str(row.frame_id) for row in loss(reports).toDF().filter("frame_closed_by != 'end of data'").collect()}
    everything = {str(row.frame_id) for row in loss(reports).toDF().collect()}
    assert len(said.split()) == len(set(said.split())) >= len(closed) - 3
    assert set(said.split()) <= everything


@pytest.mark.skipif(not SHARED.exists(), reason="the real data does not lie beside the project")
def test_congestion_on_the_a5(spark: Any) -> None:
    rows = spark.read.csv(str(SHARED / "2_freeway/a5_frankfurt_20010611_1min.csv.gz"), header=True, inferSchema=True)
    slow = "v_avg_kmh < 64.4"
    assert sf.frames(rows, sf.Threshold(slow, min_rows=3), ts="time", by="det").toDF().count() == 111
    assert sf.frames(rows, sf.Threshold(slow, min_duration="3 minutes"), ts="time", by="det").toDF().count() == 97


@pytest.mark.skipif(not SHARED.exists(), reason="the real data does not lie beside the project")
def test_congestion_on_the_freeways_of_taiwan(spark: Any) -> None:
    rows = spark.read.parquet(str(SHARED / "2_freeway/taiwan_m05a_202405_5min.parquet")).where("mainline")
    scheme = sf.Threshold("speed_all_kmh < 64.4", min_duration="15 minutes")
    assert sf.frames(rows, scheme, ts="time", by=["g_from", "g_to"]).toDF().count() == 4918
