"""The exact search: every alarm and every value to the last bit, by bounds that rule out whole tiles.

Entry point: `search.search_rows`. Imported by `bursts.engines`, and by `bursts.learning` for the aggregates.
"""
