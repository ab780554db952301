"""Sinks of Spark: what `foreachBatch` calls, and the targets that take DataFrames.

Entry point: `upsert.Upsert`. Used by `api.sink`.
"""
