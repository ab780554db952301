"""Files: Parquet, read where it lies, without an engine.

Entry points: `parquet.open_dataset` for what the footers say, `segments` for frames found while reading. Imported by
`streamframes.spark.scan`, which deals the work out to Python workers.
"""
