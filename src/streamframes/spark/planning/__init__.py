"""Planning: a verb's arguments become a checked query, and a query becomes a DataFrame; no job starts here.

`query.PlannedQuery` is what all queries share; each verb has a module with its query and a `plan_...` function, which
is the entry point. Only `api` imports this folder, and `cli` for its types.
"""

from streamframes.extras import need

# Spark loads these on the driver and in its workers, and reports them as crashed where one is missing.
need("worker")
