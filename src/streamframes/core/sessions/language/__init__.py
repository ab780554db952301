"""The language of sessions: conditions, attributes and measures as a user writes them, resolved to classes and nodes.

Entry point: `resolve.Planner`, which takes a tree and gives classes, nodes and measures.

  aggregates ──> the text of an aggregate, parsed          terms, nodes ──> what all of it becomes
  conditions ──> an expression as a term, by operators     symbols ──> what names stand for, and types
  aggregate_nodes ──> an aggregate as nodes                resolve ──> the whole tree

Used by the plan of sessions, by `vm`, which lays nodes out in records, and by the planning of Spark.
"""
