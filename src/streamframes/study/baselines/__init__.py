"""Baselines: other ways to find the same frames and bursts, from window functions to compiled loops.

`rivals.rivals_of` gives all that can do a task on Parquet files, `bursts.methods.methods_of` all that search a series.
For experiments, and for the benchmarks beside the package.
"""
