"""The search in histograms: sums of windows of any length, estimated within an error from a few buckets a group.

Entry point: `approximate.search_rows`. Imported by `bursts.engines`; `error_bound` by whoever explains a search.
"""
