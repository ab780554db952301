"""SQL: calls of our functions in a query are planned by the verbs, and the rest of the query is Spark's.

Entry points: `run.run_text`, and `table_functions.register` for plain `spark.sql()`. Imported by `streamframes.api`,
which hands over the verbs.
"""
