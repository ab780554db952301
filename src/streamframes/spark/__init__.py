"""Spark: carries rows to the core and frames back. The only folder that imports pyspark."""

from streamframes.errors import MissingExtra
from streamframes.extras import need

need("spark")

from pyspark import __version__ as SPARK_VERSION
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.types import StructType

if int(SPARK_VERSION.partition(".")[0]) < 4:
    raise MissingExtra(
        f"PySpark {SPARK_VERSION} is too old, streamframes runs on 4.0 and later; install with: "
        'pip install "streamframes[spark]"'
    )

__all__ = ["SPARK_VERSION", "Column", "DataFrame", "SparkSession", "StreamingQuery", "StructType"]
