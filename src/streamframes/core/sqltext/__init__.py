"""SQL text: calls of our functions in a query of Spark, read as the Python calls that they stand for.

`source.Source` is the text in tokens, `finder` finds calls in it, `calls.read_call` and `recognize` read one,
`rewriting` says what is left to Spark. For `streamframes.spark.sql`, which carries the calls out, and the command line.
"""
