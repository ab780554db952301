"""Rectangles: maximal stretches of time and of places on a line in which all reports satisfy the condition.

`grid` is Method I: how long the condition has held at each place. `scattered` is Method II: spans in space that deepen
with time (`sweep`, `widest`), over the history of each place (`place_history`, `forgetting`); `min_times` and `pending`
find what is left where a place reports too seldom.

Entry points: `grid.GridSearch` and `scattered.ScatteredSearch`. Imported by `regions.group_search`, and by benchmarks.
"""
