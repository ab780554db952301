"""Spark: carries rows to the core and frames back. The only folder that imports pyspark."""

from streamframes.extras import need

need("spark")

from pyspark import __version__ as SPARK_VERSION
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.types import StructType

__all__ = ["SPARK_VERSION", "Column", "DataFrame", "SparkSession", "StructType"]
