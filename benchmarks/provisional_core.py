"""What provisional results cost the core: one bucket in memory, no Spark, `python -m benchmarks.provisional_core`.

Seconds of the processor for each micro-batch, of the exact stream and of the one with `early=True`, which take turns.
The lateness is 60 seconds, and rows come one second late on average.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, open_console, publish
from streamframes import Gap
from streamframes.core.batch.clock import MIN_INSTANT, Clock
from streamframes.core.batch.packer import Packer
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.changes.bucket import ChangePlan
from streamframes.core.operator.stream_bucket import StreamPlan

LATENESS = 60_000_000
KEYS = pa.schema([("key", pa.int64())])
INSTANTS = pa.timestamp("us", "UTC")
# After so many rows the rows that wait are those of a whole lateness.
SECONDS, COUNTED = 66, 20


@dataclass(frozen=True)
class Case:
    """So many keys, a row every so many microseconds, in micro-batches of so many seconds."""

    keys: int
    distance: int
    seconds: int

    def __str__(self) -> str:
        return f"{self.keys:,} keys, {1_000_000 // self.distance:,} rows/s, batches of {self.seconds} s"


CASES = (Case(100, 1_000, 1), Case(100, 50, 1), Case(100_000, 50, 1), Case(100, 1_000, 100), Case(100_000, 1_000, 100))


@dataclass
class Memory:
    """A store in memory."""

    record: bytes | None = None
    chunks: dict[int, bytes] = field(default_factory=dict)

    def read(self) -> bytes | None:
        """The record."""
        return self.record

    def write(self, data: bytes) -> None:
        """Replace the record."""
        self.record = data

    def get(self, number: int) -> bytes:
        """A chunk."""
        return self.chunks[number]

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""
        self.chunks[number] = data

    def remove(self, number: int) -> None:
        """Forget a chunk."""
        del self.chunks[number]


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=1, rounds=None)
    console = open_console()
    publish(run(options), options.out, console)


def run(options: Options) -> Report:
    """The report of all cases."""
    cells, measurements = [], []
    for case in CASES:
        exact, early = seconds_of(case)
        cells.append([str(case), f"{1000 * exact:.1f}", f"{1000 * early:.1f}", f"{early / exact:.1f}"])
        measurements.append({"case": str(case), "exact": exact, "early": early})
    return Report(
        name="provisional_core",
        title="Provisional results in the core",
        header=["case", "exact, ms a batch", "early, ms a batch", "ratio"],
        cells=cells,
        measurements=measurements,
        targets=[],
        settings={"lateness": "60 seconds", "late on average": "1 second", "buckets": 1},
        notes=["Milliseconds of the processor, after the first 66 seconds of the stream; both took turns."],
    )


def seconds_of(case: Case) -> tuple[float, float]:
    """Seconds of the processor for a micro-batch, exact and early."""
    gap = Gap(f"{5 * case.keys * case.distance} microseconds")
    most = (Measure("most", "max", 0, pa.float64()),)
    exact = StreamPlan(FramePlan(gap, Clock("timestamp"), KEYS, INSTANTS, (pa.float64(),), measures=most), {})
    streams = [(exact, Memory()), (ChangePlan(exact, early=True), Memory())]
    taken: list[list[float]] = [[], []]
    for chunks, watermark in batches(case):
        for (plan, store), times in zip(streams, taken, strict=True):
            begin = time.process_time()
            plan.bucket(store).step(chunks, watermark)
            times.append(time.process_time() - begin)
    warm_up = -(-SECONDS // case.seconds) + 1
    first, second = (sum(times[warm_up:]) / len(times[warm_up:]) for times in taken)
    return first, second


def batches(case: Case) -> Iterator[tuple[list[tuple[int, pa.Buffer]], int]]:
    """The chunks of each micro-batch, and its watermark."""
    size, count = (
        case.seconds * 1_000_000 // case.distance,
        -(-SECONDS // case.seconds) + min(COUNTED, 10 + case.seconds),
    )
    rng, n_rows = np.random.default_rng(0), size * count
    ts = np.arange(n_rows) * case.distance
    ts = ts[np.argsort(ts + rng.exponential(1e6, n_rows))]
    key, value = rng.integers(0, case.keys, n_rows), rng.random(n_rows)
    packer, front = Packer(1), MIN_INSTANT
    for start in range(0, n_rows, size):
        part = slice(start, start + size)
        keys = pa.RecordBatch.from_arrays([pa.array(key[part])], schema=KEYS)
        packed = packer.pack(pa.array(ts[part]).cast(INSTANTS), keys, [pa.array(value[part])])
        yield [(chunk.start, pa.py_buffer(chunk.data)) for chunk in packed], max(front - LATENESS, MIN_INSTANT)
        front = max(front, int(ts[part].max()))


if __name__ == "__main__":
    main()
