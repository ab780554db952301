"""Postgres: rows in the binary form of COPY into a staging table, then merged by key in the same transaction.

Entry point: `target.Postgres`. Used by `api.sink`.
"""
