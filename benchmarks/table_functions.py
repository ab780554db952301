"""What the table functions of `sf.register()` cost in plain `spark.sql()`, beside the same frames by `sf.sql()`.

Rounds of both are interleaved in one session. `python -m benchmarks.table_functions` prints the medians.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

import streamframes as sf
from streamframes.data import routers

TEXTS = {
    "sf.sql()": "frames(TABLE(reports), threshold(drop_pct > 0.3), ts => rpt_time, by => router)",
    "spark.sql(), registered": "threshold_frames(TABLE(reports), 'drop_pct > 0.3', ts => 'rpt_time', by => 'router')",
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    spark = sf.session()
    sf.register(spark)
    reports = routers(rows=options.rows, routers=20, seed=1).toDF(spark).repartition(8).cache()
    reports.createOrReplaceTempView("reports")
    reports.count()
    runs = {"sf.sql()": lambda text: sf.sql(text, spark), "spark.sql(), registered": spark.sql}
    seconds: dict[str, list[float]] = {name: [] for name in TEXTS}
    for number in range(options.rounds + 1):
        for name, text in TEXTS.items():
            began = time.perf_counter()
            runs[name](f"SELECT count(*), sum(hash(frame_id)) FROM {text}").collect()
            if number:
                seconds[name].append(time.perf_counter() - began)
    table = Table("way", "seconds", "thousand rows a second", "times")
    best = statistics.median(seconds["sf.sql()"])
    for name, taken in seconds.items():
        median = statistics.median(taken)
        table.add_row(name, f"{median:.2f}", f"{options.rows / median / 1000:,.0f}", f"{median / best:.1f}")
    Console().print(table)


if __name__ == "__main__":
    main()
