"""Scans: Parquet files that stand where a DataFrame may, read by Python workers.

Entry point: `scan.scan_files`, and `strategy.strategy_of` for how rows get to the core. Imported by
`streamframes.spark.planning`, `streamframes.spark.explain` and `streamframes.api`.
"""
