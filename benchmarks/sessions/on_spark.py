"""Nested sessions of a table on Spark, beside the transfer that does nothing: `python -m benchmarks.sessions.on_spark`.

The log of a call centre with four levels of sessions (System, Call, ATT, FAQ), some 28 events a call: measures of the
root, also with one of each call, all closed sessions, and all events tagged. The do-nothing transfer sends the columns
that the tree needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.contenders import NOTHING, OURS
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes import data
from streamframes.study.baselines import spark_queries

ROWS, CHANNELS, ROWS_A_CALL = 20_000_000, 2_000, 28
MEASURES = {
    "call": "System.avg(Call.duration(ts))",
    "att": "System.avg(Call.sum(ATT.duration(ts)))",
    "faq": "System.avg(FAQ.duration(ts))",
}
OF_CALLS = {"visits": "Call.count(ATT) on_close"}


def tree() -> sf.Session:
    """System > Call > ATT > FAQ."""
    conditions = data.calls(1).conditions
    part: list[sf.Session] = []
    for name in ("FAQ", "ATT", "Call"):
        opens, closes = conditions[name]
        part = [sf.Session(name, key="channel" if name == "Call" else None, opens=opens, closes=closes, parts=part)]
    return sf.Session("System", parts=part)


def log_files(rows: int, cache: Path) -> list[str]:
    """The files of a log; they are made if they are not there."""
    folder = cache / f"calls-{rows}-{CHANNELS}"
    if not folder.exists():
        data.calls(max(1, rows // ROWS_A_CALL), CHANNELS).write(folder)
    return sorted(str(path.resolve()) for path in folder.glob("*.parquet"))


def do_nothing(rows: DataFrame) -> DataFrame:
    """What any Python operator pays: the columns that the tree needs go to Python workers, which only count them."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

    conditions = [text for pair in data.calls(1).conditions.values() for text in pair]
    return rows.selectExpr("channel", "ts", "seq", *conditions).mapInArrow(count, "n long")


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all ways."""
    with console.status(f"making a log of about {options.rows:,} events"):
        rows = spark.read.parquet(*log_files(options.rows, options.cache))
    size = rows.count()
    calls = sf.sessions(rows, tree(), ts=["ts", "seq"], measures=MEASURES)

    def finishing(table: DataFrame) -> Callable[[], None]:
        return lambda: spark_queries.finish(table)

    both = sf.sessions(rows, tree(), ts=["ts", "seq"], measures={**MEASURES, **OF_CALLS})
    tables = {
        OURS: calls.measures(),
        f"{OURS}, measures of calls too": both.measures(),
        f"{OURS}, sessions": calls.sessions(),
        f"{OURS}, tags": calls.tag("Call", "ATT"),
        NOTHING: do_nothing(rows),
    }
    contenders = [
        Contender(name, "sessions", CHANNELS, size, finishing(table), lambda: None) for name, table in tables.items()
    ]
    return report_of(measure(contenders, options.rounds, console), size, options, spark_queries.java_version(spark))


def report_of(measurements: Sequence[Measurement], size: int, options: Options, java: str) -> Report:
    """What the measurements say."""
    best = {each.contender.name: each.best for each in measurements}
    return Report(
        name="sessions.on_spark",
        saved_as="sessions_spark",
        title=f"Four levels of sessions over {size:,} events of {CHANNELS:,} channels on Spark",
        header=["way", "seconds", "M events/s", "time / do-nothing"],
        cells=[
            [name, f"{seconds:.2f}", f"{size / seconds / 1e6:.2f}", f"{seconds / best[NOTHING]:.2f}"]
            for name, seconds in best.items()
        ],
        measurements=[{"way": each.contender.name, "seconds": each.seconds} for each in measurements],
        targets=[
            Target("measures: time / do-nothing transfer", "<=", 2, best[OURS] / best[NOTHING]),
            Target("sessions: time / do-nothing transfer", "<=", 2, best[f"{OURS}, sessions"] / best[NOTHING]),
        ],
        settings={"rows": size, "channels": CHANNELS, "measures": len(MEASURES), "rounds": options.rounds},
        java=java,
    )


if __name__ == "__main__":
    main()
