"""What each step of a scan costs one core, without Spark: reading, segments, partitions, packing and folding.

Processor time, not time on the clock, so that it adds up over cores. *read* is reading alone: all columns of a task, or
one of them, which PyArrow reads as well; *segment* is reading, scanning and what a segment sends; *partition* is all
that one of two workers does that both read everything.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple
from unittest import mock

import pyarrow as pa
from rich.console import Console

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, open_console, publish
from streamframes.core.batch import chunk as chunks
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Packed, Packer
from streamframes.core.files.parquet import plain_columns
from streamframes.core.files.parquet.dataset import Dataset, open_dataset
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.parquet.reader import RowGroupReader
from streamframes.core.files.parquet.row_groups import all_row_groups
from streamframes.core.files.segments.merge import SegmentMerger, merge
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.partitioned_read import KeyPartition, partition_results
from streamframes.core.files.segments.rereading import Rereader
from streamframes.core.files.segments.segment_reader import SegmentReader
from streamframes.core.files.segments.segment_worker import SegmentScan
from streamframes.core.files.segments.split import Segment, in_order, split_by_time
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.core.sparksql import translate
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import DELTA, PEER_TASKS, THRESHOLD, Task

KEYS = (1, 100, 100_000)
CORES = 2
BUCKETS = 8
ROWS_PACKED = 1 << 18
MEASURES = (Measure("mean", "avg", 1, pa.float64()), Measure("top", "max", 1, pa.float64()))
CODECS = {
    "lz4": pa.ipc.IpcWriteOptions(compression=pa.Codec("lz4"), use_threads=False),
    "zstd": pa.ipc.IpcWriteOptions(compression=pa.Codec("zstd", 1), use_threads=False),
    "no codec": pa.ipc.IpcWriteOptions(use_threads=False),
}


class Cost(NamedTuple):
    """A figure of one step: nanoseconds or bytes, of a row or a frame."""

    step: str
    task: str
    keys: int
    figure: float
    unit: str


@dataclass(frozen=True)
class Work:
    """A task on files, as Spark's workers get it."""

    task: Task
    shape: Shape
    paths: Sequence[str]

    @cached_property
    def selection(self) -> Selection:
        """The columns that are read."""
        dataset = open_dataset(list(self.paths))
        wanted = [THRESHOLD.sent, "value"] if self.task.measures else [self.task.sent]
        values = [each if each in dataset.schema.names else translate(each, dataset.schema) for each in wanted]
        return Selection(dataset, self.plan.layout, ("key", "ts", *values))

    @cached_property
    def plan(self) -> FramePlan:
        """What is looked for."""
        first = pa.bool_() if self.task.is_threshold else pa.int64() if self.task.name == "aggregate" else pa.float64()
        return FramePlan(
            scheme=self.task.scheme,
            clock=Clock("timestamp"),
            keys=pa.schema([("key", pa.string())]),
            ts_type=pa.timestamp("us", tz="UTC"),
            columns=(first, pa.float64()) if self.task.measures else (first,),
            measures=MEASURES if self.task.measures else (),
        )

    def read(self) -> int:
        """Read all rows."""
        reader = self.selection.reader()
        return sum(len(arrays.ts) for group in self.selection.row_groups for arrays in reader.batches(group))

    def partials(self, found: Sequence[Segment], route: Route) -> list[Packed]:
        """What segments send."""
        sent: list[Packed] = []
        for segment in found:
            run = SegmentScan(self.plan, segment, route)
            reader = SegmentReader(self.selection.reader(), segment, run.groups)
            sent += itertools.chain((each for rows in reader.rows() for each in run.feed(rows)), run.finish())
        return sent

    def merged(self, found: Sequence[Segment], route: Route, sent: Sequence[Packed]) -> int:
        """How many frames the merge finds."""
        ordered = sorted(sent, key=lambda each: (each.bucket, each.start))
        partials = ((each.bucket, each.start, pa.py_buffer(each.data)) for each in ordered)
        make = partial(SegmentMerger, self.plan, list(found), route, Rereader(self.selection.reader()))
        return sum(batch.num_rows for batch in merge(make, partials))

    def partition(self) -> int:
        """How many frames one of the key-partitioned reads finds."""
        chains = in_order(self.selection.chains)
        results = partition_results(self.plan, self.selection.reader(), chains, KeyPartition(0, CORES))
        return sum(batch.num_rows for batch in results)

    def packed(self, codec: str) -> list[Packed]:
        """All rows as chunks."""
        packer, found = Packer(BUCKETS), []
        reader = self.selection.reader()
        with mock.patch.object(chunks, "_OPTIONS", CODECS[codec]):
            for group in self.selection.row_groups:
                for arrays in reader.batches(group):
                    for low in range(0, len(arrays.ts), ROWS_PACKED):
                        ts, key, value = (
                            each.slice(low, ROWS_PACKED) for each in (arrays.ts, arrays.keys[0], arrays.columns[0])
                        )
                        keys = pa.RecordBatch.from_arrays([key.cast(pa.string())], schema=self.plan.keys)
                        found += packer.pack(ts, keys, [value])
        return found

    def folded(self, packed: Sequence[Packed]) -> int:
        """How many frames chunks fold to."""
        ordered = sorted(packed, key=lambda each: (each.bucket, each.start))
        partials = ((each.bucket, each.start, pa.py_buffer(each.data)) for each in ordered)
        return sum(batch.num_rows for batch in bucket_results(self.plan, partials))


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=20_000_000, rounds=3)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report of all steps."""
    costs: list[Cost] = []
    for keys in KEYS:
        shape = Shape(options.rows, keys)
        with console.status(f"making {shape.rows:,} rows of {keys:,} keys"):
            paths = files(shape, options.cache)
        with console.status(f"columns, {keys:,} keys"):
            costs += _columns(paths, shape, options.rounds)
        for task in PEER_TASKS:
            with console.status(f"{task.name}, {keys:,} keys"):
                costs += _costs(Work(task, shape, paths), options.rounds)
        with console.status(f"packing, {keys:,} keys"):
            costs += _packing(Work(DELTA, shape, paths), options.rounds)
    return Report(
        name="costs",
        title="What each step of a scan costs one core, without Spark",
        header=["step", "of", "keys", "figure", "unit"],
        cells=[[cost.step, cost.task, f"{cost.keys:,}", f"{cost.figure:.1f}", cost.unit] for cost in costs],
        measurements=[cost._asdict() for cost in costs],
        targets=[],
        settings={"rows": options.rows, "rounds": options.rounds, "segments": CORES, "buckets of chunks": BUCKETS},
        notes=["The least processor time of the rounds; bytes are those that are sent."],
    )


def _columns(paths: Sequence[str], shape: Shape, rounds: int) -> Iterator[Cost]:
    """Each column as a scan reads it, and as PyArrow would."""
    dataset = open_dataset(list(paths))
    for name in dataset.schema.names:
        for step, least in (("read", plain_columns.LEAST_ROWS), ("read, PyArrow", 1 << 62)):
            with mock.patch.object(plain_columns, "LEAST_ROWS", least):
                seconds = _least(partial(_read_column, dataset, name), rounds)
            yield Cost(step, name, shape.keys, seconds * 1e9 / shape.rows, "ns a row")


def _read_column(dataset: Dataset, name: str) -> int:
    reader = RowGroupReader(dataset, [name], [name])
    return sum(reader.read(group.file, group.number).num_rows for group in all_row_groups(dataset))


def _costs(work: Work, rounds: int) -> Iterator[Cost]:
    found, route = split_by_time(work.selection.chains, CORES), Route(1, CORES)
    sent = work.partials(found, route)
    frames = max(1, work.merged(found, route, sent))

    def cost(step: str, run: Callable[[], object], per: str) -> Cost:
        ns = _least(run, rounds) * 1e9 / (frames if per == "frame" else work.shape.rows)
        return Cost(step, work.task.name, work.shape.keys, ns, f"ns a {per}")

    yield cost("read", work.read, "row")
    yield cost("segment", lambda: work.partials(found, route), "row")
    yield Cost("segment", work.task.name, work.shape.keys, _size(sent) / frames, "bytes a frame")
    yield cost("merge", lambda: work.merged(found, route, sent), "frame")
    yield cost("partition", work.partition, "row")


def _packing(work: Work, rounds: int) -> Iterator[Cost]:
    rows, read = work.shape.rows, _least(work.read, rounds)
    for codec in CODECS:
        packed = work.packed(codec)
        seconds = _least(partial(work.packed, codec), rounds) - read
        folding = _least(partial(work.folded, packed), rounds)
        for step, figure, unit in (
            (f"pack, {codec}", seconds * 1e9 / rows, "ns a row"),
            (f"pack, {codec}", _size(packed) / rows, "bytes a row"),
            (f"fold, {codec}", folding * 1e9 / rows, "ns a row"),
        ):
            yield Cost(step, work.task.name, work.shape.keys, figure, unit)


def _least(run: Callable[[], object], rounds: int) -> float:
    """The least processor time of some rounds, after one that compiles."""
    run()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def _size(sent: Sequence[Packed]) -> int:
    return sum(len(each.data) for each in sent)


if __name__ == "__main__":
    main()
