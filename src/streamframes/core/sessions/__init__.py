"""Sessions inside sessions: events flow down a tree of classes, aggregates flow up.

Entry point: `operator.SessionPlan`, with its `SessionOperator`, which stands in a bucket; `tree.Session` is what a user
writes. A tree goes through this folder in this order (`language`, `partitioning`, `plan`, `operator`):

  tree ──> language    names resolved, types checked: classes, nodes and measures
       ──> partitioning    by the key of the root, by that of its parts (`merge` makes one root again), or in one place
       ──> plan    what travels to the workers; `commands` change its measures while a stream runs
       ──> operator    rows ──> events ──> vm (the machine) and kernels (the engine) ──> results

Where a session closes, its children first: `kernels.close`. Used by `api.sessions`, the planning of Spark and `draw`.
"""
