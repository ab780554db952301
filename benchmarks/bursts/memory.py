"""What the histogram of a group keeps as its stream grows, beside the bound: `python -m benchmarks.bursts.memory`.

Buckets after 10^4, 10^5, ... rows of generated traffic on a background, for errors of 10 %, 1 % and 0.1 %.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, open_console, publish
from streamframes.core.bursts.batch import Batch
from streamframes.core.bursts.histogram.error_bound import bucket_bound
from streamframes.core.bursts.histogram.recent_rows import RECENT
from streamframes.data import packet_values
from streamframes.study.baselines.bursts.methods import histogram_bytes, watching_nothing

ERRORS = (0.1, 0.01, 0.001)
FEED = 1_000_000


def main() -> None:
    """Measure, print and save."""
    options = parse(__doc__ or "", rows=100_000_000, rounds=None)
    console = open_console()
    publish(run(options, console), options.out, console)


def run(options: Options, console: Console) -> Report:
    """The report for all errors."""
    lines: list[tuple[float, int, int, float]] = []
    with Progress(console=console, transient=True) as progress:
        for error in ERRORS:
            task = progress.add_task(f"error {error:g}", total=options.rows)
            for rows, buckets, largest in growth(error, options.rows):
                progress.update(task, completed=rows)
                if rows in _marks(options.rows):
                    lines.append((error, rows, buckets, bucket_bound(rows, largest, error)))
    return Report(
        name="bursts.memory",
        saved_as="burst_memory",
        title="The histogram of a group as its stream grows",
        header=["error", "rows", "buckets", "kilobytes", "log(rows x largest) / log(1 + error)"],
        cells=[
            [f"{error:g}", f"{rows:,}", f"{buckets:,}", f"{histogram_bytes(buckets) / 1e3:.1f}", f"{bound:,.0f}"]
            for error, rows, buckets, bound in lines
        ],
        measurements=[
            {"error": error, "rows": rows, "buckets": buckets, "bytes": histogram_bytes(buckets), "bound": bound}
            for error, rows, buckets, bound in lines
        ],
        targets=[
            Target("buckets / bound, at most", "<=", 2, max(buckets / bound for _, _, buckets, bound in lines)),
        ],
        settings={"rows": options.rows, "recent rows at most": RECENT},
        notes=("Kilobytes: all buckets and the most recent rows; a search adds nothing for its windows.",),
    )


def _marks(rows: int) -> set[int]:
    return {10**power for power in range(4, 12) if 10**power <= rows}


def growth(error: float, rows: int) -> Iterator[tuple[int, int, float]]:
    """Rows so far, buckets, and the largest value."""
    engine, nothing = watching_nothing(error)
    seen, largest = 0, 0.0
    while seen < rows:
        size = min(FEED, min(mark for mark in {*_marks(rows), rows} if mark > seen) - seen)
        values = packet_values(size, seed=seen, background=40).astype(np.float64)
        for _ in engine.search(Batch(np.zeros(1, np.int64), np.array([0, size]), values), nothing, one=False):
            pass
        seen, largest = seen + size, max(largest, float(values.max()))
        yield seen, int(engine.tables[0].sizes[0]), largest


if __name__ == "__main__":
    main()
