"""A scan of the same rows, stored in other ways: other keys, other writers, no order, no statistics.

All layouts hold the same rows and must give the same number of frames. Beside each scan stands Spark's own reader.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import DELTA, THRESHOLD, Task

KEYS = (100, 100_000)
TASKS = (THRESHOLD, DELTA)
SCAN, READER = "scan", "Spark's reader"
# A lane is the last digits of a key's number, a road the others.
LANES = 10
# Room for a hundred thousand keys; PyArrow and Spark give up on a dictionary of more than 1 MiB.
DICTIONARY = 1 << 23
# A folder for each key is for few keys.
MOST_FOLDERS = 1_000
ROWS_A_GROUP, FEW_ROWS = 1 << 20, 1 << 12


@dataclass(frozen=True)
class Layout:
    """A way to store the rows: `write` puts files of rows into a folder; None for those that are there."""

    name: str
    write: Callable[[Sequence[str], Path], None] | None
    by: tuple[str, ...] = ("key",)
    most_keys: int = 1 << 62

    def paths(self, shape: Shape, cache: Path) -> list[str]:
        """The files, made if they are not there."""
        sources = files(shape, cache)
        if self.write is None:
            return sources
        folder = cache / f"{shape.name}-{self.name.replace(' ', '-')}"
        if not folder.exists():
            unfinished = folder.with_suffix(".unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir(parents=True)
            self.write(sources, unfinished)
            unfinished.rename(folder)
        return [str(folder)]


def _as_they_are(rows: pa.Table) -> pa.Table:
    return rows


def _with_integers(rows: pa.Table) -> pa.Table:
    return rows.set_column(0, "key", _numbers(rows))


def _with_two_columns(rows: pa.Table) -> pa.Table:
    numbers = _numbers(rows)
    roads = pc.binary_join_element_wise("road", pc.divide(numbers, LANES).cast(pa.string()), "-")
    lanes = pc.subtract(numbers, pc.multiply(pc.divide(numbers, LANES), LANES)).cast(pa.int32())
    return rows.drop_columns(["key"]).append_column("road", roads).append_column("lane", lanes)


def _numbers(rows: pa.Table) -> pa.ChunkedArray:
    return pc.utf8_slice_codeunits(rows["key"], len("key-")).cast(pa.int64())


def _rewritten(change: Callable[[pa.Table], pa.Table], sources: Sequence[str], folder: Path, **options: Any) -> None:
    for source in map(Path, sources):
        pq.write_table(change(pq.read_table(source)), folder / source.name, **options)


def _in_folders(sources: Sequence[str], folder: Path) -> None:
    for source in map(Path, sources):
        pq.write_to_dataset(
            pq.read_table(source), folder, ["key"], basename_template=f"{source.stem}-{{i}}.parquet",
            max_partitions=MOST_FOLDERS, min_rows_per_group=ROWS_A_GROUP, max_rows_per_group=ROWS_A_GROUP,
        )  # fmt: skip


def _in_no_order(sources: Sequence[str], folder: Path) -> None:
    rows = pq.read_table(list(sources))
    order = np.random.default_rng(0).permutation(rows.num_rows)
    for number, places in enumerate(np.array_split(order, len(sources))):
        pq.write_table(rows.take(pa.array(places)), folder / f"part-{number:03d}.parquet")


def _by_spark(sources: Sequence[str], folder: Path) -> None:
    SparkSession.active().read.parquet(*sources).orderBy("ts").write.mode("append").parquet(str(folder))


LAYOUTS = (
    Layout("text keys", None),
    Layout("a larger dictionary", partial(_rewritten, _as_they_are, dictionary_pagesize_limit=DICTIONARY)),
    Layout("integer keys", partial(_rewritten, _with_integers)),
    Layout("two key columns", partial(_rewritten, _with_two_columns), ("road", "lane")),
    Layout("a folder for each key", _in_folders, most_keys=MOST_FOLDERS),
    Layout("compressed with zstd", partial(_rewritten, _as_they_are, compression="zstd")),
    Layout("small row groups", partial(_rewritten, _as_they_are, row_group_size=FEW_ROWS)),
    Layout("written by Spark", _by_spark),
    Layout("no statistics", partial(_rewritten, _as_they_are, write_statistics=False)),
    Layout("no order", _in_no_order),
)


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=20_000_000, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report on all layouts."""
    found: dict[tuple[str, int], list[Measurement]] = {}
    strategies: dict[tuple[str, int, str], str] = {}
    for keys in KEYS:
        shape = Shape(options.rows, keys)
        listed: list[tuple[Layout, Contender]] = []
        for layout in (each for each in LAYOUTS if keys <= each.most_keys):
            with console.status(f"{layout.name}, {keys:,} keys"):
                paths = layout.paths(shape, options.cache)
            for task in TASKS:
                listed += [(layout, each) for each in _contenders(layout, task, shape, paths, spark)]
                strategies[layout.name, keys, task.name] = _way(_frames(layout, task, sf.scan(paths)))
        taken = measure([each for _, each in listed], options.rounds, console)
        for (layout, _), each in zip(listed, taken, strict=True):
            found.setdefault((layout.name, keys), []).append(each)
    return _report(found, strategies, options, spark_queries.java_version(spark))


def _contenders(layout: Layout, task: Task, shape: Shape, paths: Sequence[str], spark: SparkSession) -> list[Contender]:
    rows: dict[str, Callable[[], Any]] = {
        SCAN: lambda: sf.scan(list(paths)),
        READER: lambda: spark.read.parquet(*paths),
    }
    return [
        Contender(
            name=f"{layout.name}, {way}",
            task=task.name,
            keys=shape.keys,
            rows=shape.rows,
            run=partial(_finish, spark_queries.finish, layout, task, make),
            count=partial(_finish, spark_queries.finish_counting, layout, task, make),
        )
        for way, make in rows.items()
    ]


def _finish(end: Callable[[DataFrame], Any], layout: Layout, task: Task, make: Callable[[], Any]) -> Any:
    return end(_frames(layout, task, make()).toDF())


def _frames(layout: Layout, task: Task, rows: Any) -> sf.Frames:
    return sf.frames(rows, task.scheme, ts="ts", by=list(layout.by))


def _way(frames: sf.Frames) -> str:
    """Segments, key-partitioned reads or chunks, as explain() says it."""
    said = frames.explain()
    found = (("key-partitioned reads", "keeps its groups"), ("segments", "  4 merge "))
    return next((strategy for strategy, word in found if word in said), "chunks")


def _report(
    found: dict[tuple[str, int], list[Measurement]],
    strategies: dict[tuple[str, int, str], str],
    options: Options,
    java: str,
) -> Report:
    cells = []
    for (layout, keys), taken in found.items():
        for scan, reader in zip(taken[::2], taken[1::2], strict=True):
            task = scan.contender.task
            speeds = [f"{each.mrows_per_second:.1f}" for each in (scan, reader)]
            ratio = f"{scan.mrows_per_second / reader.mrows_per_second:.1f}"
            cells.append([layout, f"{keys:,}", task, strategies[layout, keys, task], *speeds, ratio])
    return Report(
        name="layouts",
        title="The same rows, stored in other ways",
        header=["layout", "keys", "task", "way", "scan, M rows/s", "Spark's reader, M rows/s", "ratio"],
        cells=cells,
        measurements=[
            {
                "way": each.contender.name,
                "task": each.contender.task,
                "keys": keys,
                "frames": each.frames,
                "rounds": each.seconds,
            }
            for (_, keys), taken in found.items()
            for each in taken
        ],
        targets=[],
        settings={"rows": options.rows, "rounds": options.rounds},
        java=java,
    )


if __name__ == "__main__":
    main()
