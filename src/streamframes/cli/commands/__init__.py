"""Commands: one module for each command of the program, which checks its options before it starts Spark.

`main` registers the functions named like the commands. `planted`, `demo_stream` and `region_results` are parts of some.
"""
