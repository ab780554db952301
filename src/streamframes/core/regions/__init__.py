"""Regions: frames in time and space, searched for among the reports of places or the points of a plane.

    rows -> reports (resolved, by column) -> group_search: one search -> non_overlapping, fragments -> results

Entry point: `operator.RegionPlan`. `arguments` checks what a user gives, `plan` holds it. One folder a search:
`rectangles` (one dimension of space, two methods), `boxes` (two dimensions), `connected` and `density`; all are a
`types.Search` but density, which counts points and is a `types.RegionGroup` itself. Imported by `spark`, by the options
of verbs, and by benchmarks.
"""
