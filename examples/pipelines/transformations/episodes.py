"""Episodes of packet loss, as a table that is made anew in each run, and as one that grows with what has arrived.

Spark asks a pipeline's functions for their results without looking at any column; frames are therefore planned
outside of them.
"""

from pyspark import pipelines as dp
from pyspark.sql import DataFrame, SparkSession

import streamframes as sf

spark = SparkSession.active()
folder = spark.conf.get("reports")
reports = spark.read.parquet(folder)
arriving = spark.readStream.schema(reports.schema).parquet(folder)

loss = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
found = sf.frames(reports, loss, ts="rpt_time", by="router").agg(worst="max(drop_pct)")
growing = sf.frames(arriving, loss, ts="rpt_time", by="router", lateness="1 minute").agg(worst="max(drop_pct)")


@dp.materialized_view
def episodes() -> DataFrame:
    return found


@dp.table
def closed_episodes() -> DataFrame:
    return growing
