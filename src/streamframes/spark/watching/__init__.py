"""Watching: the last figures of streaming queries, kept as they come, for people and for Prometheus.

`watch.Watch` is the entry point; only the API imports this folder.
"""
