"""The matrix: what works on which version of Spark and Python, tried with the wheel and not with the checkout.

  features.py ── which tests say that a feature works ──┐
  versions.py ── which Spark and Python are tried ──────┼─> run.py ──> docs/where-it-runs.json ──> page.py
  tables.py ──── Delta and Iceberg, where they exist ───┘               (a run of all records it)

`make test-matrix` runs all of it and writes the table of docs/where-it-runs.md; `make test-matrix-quick` runs a quarter
on the oldest Spark and on the newest but one, and writes nothing.
"""
