"""Algebra: frame tables that meet frame tables, as sets of instants and as pairs that overlap.

Entry point: the plans `sets.SetPlan`, `sets.CoveragePlan` and `pairs.PairPlan`, each with `results(chunks)`. Used by
`spark.planning.algebra`.
"""
