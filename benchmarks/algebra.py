"""The algebra of frames: time and growth of each verb, and Spark's own join beside `overlaps`.

Frames that lie apart, that overlap their neighbours, and that one long frame of each key covers; each also with a
quarter of the frames. The join is measured on the quarter only: it compares all pairs of a key, so that four times
the frames take it sixteen times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console

import streamframes as sf
from benchmarks.kit.frame_tables import CASES, FrameShape, frame_files
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes.study.baselines import spark_queries

KEYS = 100
FRAMES = 1_000_000
TIMES_AS_MANY = 4
LIMIT = 4.6
OURS, JOIN = "streamframes", "Spark's join"
ALL_TIME = ("2023-01-01T00:00:00Z", "2025-01-01T00:00:00Z")
NOTES = (
    "The best of the rounds, in seconds, reading the files included.",
    "Spark's join ran on a quarter of the frames only, because it compares all pairs of a key.",
)
TOO_FEW = f"The targets are meant for {FRAMES:,} frames; on fewer, the fixed costs of a Spark job decide."

Verb = Callable[[DataFrame, DataFrame], DataFrame]
VERBS: dict[str, Verb] = {
    "overlaps": lambda a, b: sf.overlaps(a, b, by="key"),
    "intersect": lambda a, b: sf.intersect(a, b, by="key"),
    "union": lambda a, b: sf.union(a, b, by="key"),
    "subtract": lambda a, b: sf.subtract(a, b, by="key"),
    "complement": lambda a, _: sf.complement(a, within=ALL_TIME, by="key"),
    "coverage": lambda a, _: sf.coverage(a, by="key"),
    "at": lambda a, b: sf.at(a, b.select("key", F.col("frame_start").alias("t")), ts="t", by="key"),
}
# Seconds by (verb, case, frames, way).
Times = Mapping[tuple[str, str, int, str], float]


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=FRAMES, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all verbs on all cases."""
    contenders = [each for case in CASES for each in contenders_of(case, spark, options)]
    return report_of(measure(contenders, options.rounds, console), options, spark_queries.java_version(spark))


def contenders_of(case: str, spark: SparkSession, options: Options) -> Iterator[Contender]:
    """All verbs on the tables of a case and on a quarter of them, and the join on that."""
    quarter = options.rows // TIMES_AS_MANY
    for frames in (quarter, options.rows):
        shape = FrameShape(case, frames, KEYS)
        a, b = (spark.read.parquet(*frame_files(shape, side, options.cache)) for side in ("a", "b"))
        for name, verb in VERBS.items():
            yield _contender(OURS, name, shape, verb, a, b)
        if frames == quarter:
            yield _contender(JOIN, "overlaps", shape, spark_join, a, b)


def spark_join(a: DataFrame, b: DataFrame) -> DataFrame:
    """What one would write: a join on the key and the definition of sharing an instant."""
    left, right = a.alias("a"), b.alias("b")
    shared = "a.key = b.key and a.frame_start <= b.frame_end and b.frame_start <= a.frame_end"
    edges = F.greatest("a.frame_start", "b.frame_start"), F.least("a.frame_end", "b.frame_end")
    return left.join(right, F.expr(shared)).select("a.*", "b.frame_id", "b.frame_start", "b.frame_end", *edges)


def _contender(way: str, name: str, shape: FrameShape, verb: Verb, a: DataFrame, b: DataFrame) -> Contender:
    return Contender(
        name=way,
        task=f"{name}, {shape.case}",
        keys=shape.keys,
        rows=shape.frames,
        run=lambda: spark_queries.finish(verb(a, b)),
        count=lambda: spark_queries.finish_counting(verb(a, b)),
    )


def report_of(measurements: Sequence[Measurement], options: Options, java: str) -> Report:
    """What the measurements say."""
    times = {_place(each): each.best for each in measurements}
    few, many = options.rows // TIMES_AS_MANY, options.rows
    return Report(
        name="algebra",
        title="The algebra of frames",
        header=["verb", "frames", "way", f"{few:,} x {few:,}", f"{many:,} x {many:,}", "ratio"],
        cells=[_cells(times, *place, few, many) for place in dict.fromkeys((v, c, w) for v, c, _, w in times)],
        measurements=[
            {"verb": verb, "case": case, "frames": frames, "way": way, "found": each.frames, "rounds": each.seconds}
            for each in measurements
            for verb, case, frames, way in [_place(each)]
        ],
        targets=list(targets(times, few, many)),
        settings={"rows": options.rows, "rounds": options.rounds, "keys": KEYS},
        notes=NOTES if options.rows >= FRAMES else (*NOTES, TOO_FEW),
        java=java,
    )


def targets(times: Times, few: int, many: int) -> Iterator[Target]:
    """What is promised of these times."""
    for verb in VERBS:
        for case in CASES:
            growth = times[verb, case, many, OURS] / times[verb, case, few, OURS]
            yield Target(f"{verb}, {case}: time of {TIMES_AS_MANY} times the frames", "<=", LIMIT, growth)
    for case in CASES:
        faster = times["overlaps", case, few, JOIN] / times["overlaps", case, few, OURS]
        yield Target(f"overlaps, {case}, {few:,} frames: faster than Spark's join", ">=", 2.0, faster)


def _place(measurement: Measurement) -> tuple[str, str, int, str]:
    verb, _, case = measurement.contender.task.partition(", ")
    return verb, case, measurement.contender.rows, measurement.contender.name


def _cells(times: Times, verb: str, case: str, way: str, few: int, many: int) -> list[str]:
    seconds = times[verb, case, few, way], times.get((verb, case, many, way))
    whole, ratio = ("-", "-") if seconds[1] is None else (f"{seconds[1]:.2f}", f"{seconds[1] / seconds[0]:.2f}")
    return [verb, case, way, f"{seconds[0]:.2f}", whole, ratio]


if __name__ == "__main__":
    main()
