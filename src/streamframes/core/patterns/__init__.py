"""Patterns: rows that match a pattern of variables, as MATCH_RECOGNIZE of SQL:2016 finds them.

Entry points: `resolve.resolve` for what a user writes, `operator.PatternPlan` for the operator. A pattern goes through
this folder in this order: `language`, `resolve`, `plan`, `program`, `encoding`. Rows go through `conditions`,
`matching` (the `kernels`), `measures`, `results`. Used by the planning of Spark.
"""
