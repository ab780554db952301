"""Explanations: what a query does with its rows, step by step, as text.

Entry points: the functions of each module, named after their verb. Imported by `streamframes.spark.planning`.
"""
