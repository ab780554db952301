"""State intervals of dbl-tempo, in a process of its own: it needs an older Spark than this project.

Reads {"files": [...], "state": ..., "rounds": ...} from standard input and prints {"intervals": ..., "seconds": ...}.
Needs nothing but dbl-tempo and its Spark.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> None:
    """Find the intervals once to warm up and count, then on the clock."""
    question = json.load(sys.stdin)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession
    from pyspark.sql import functions as F
    from tempo import TSDF

    partitions = str(4 * (os.cpu_count() or 1))
    settings = SparkSession.builder.master("local[*]").config("spark.sql.shuffle.partitions", partitions)
    spark = settings.config("spark.ui.enabled", "false").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    rows = spark.read.parquet(*question["files"])

    def intervals():
        states = rows.select("key", "ts", F.expr(question["state"]).alias("state"))
        return TSDF(states, ts_col="ts", partition_cols=["key"]).extractStateIntervals("state")

    found = intervals().count()
    best = float("inf")
    for _ in range(question["rounds"]):
        start = time.perf_counter()
        intervals().write.format("noop").mode("overwrite").save()
        best = min(best, time.perf_counter() - start)
    spark.stop()
    print(json.dumps({"intervals": found, "seconds": best}))


if __name__ == "__main__":
    main()
