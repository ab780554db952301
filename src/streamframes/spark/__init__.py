"""Spark: carries rows to the core and frames back. The only folder that imports pyspark."""

from pyspark.sql import Column, DataFrame, SparkSession

__all__ = ["Column", "DataFrame", "SparkSession"]
