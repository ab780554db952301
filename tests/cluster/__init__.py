"""Clusters and Connect servers of this machine, started and stopped by the tests.

`servers` starts them, `program` is the query that a test lets run there in a driver of its own.
"""
