"""Routers: their reports of dropped packets, and the commands that were sent to them.

Entry point: `routers.routers`. Imported by `streamframes.data` alone.
"""
