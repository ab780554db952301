"""SQL: calls of our functions in a query are planned by the verbs, and the rest of the query is Spark's.

Entry point: `run.run_text`. Imported by `streamframes.api`, which hands over the verbs.
"""
