"""Sinks: databases that keep what is known of each frame, one row under its key; no engine is imported here.

Entry point: `protocol.Target`, which takes a `Batch`. A database is a `database.Database` in a file of its own. Used by
`spark.sinks`, which makes batches of DataFrames, and by `api.sink`.
"""
