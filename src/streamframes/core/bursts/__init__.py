"""Bursts: many windows watched at once, and an alarm wherever the aggregate of one reaches its threshold.

    rows -> batch -> units (of time) -> learning -> engines: exact/ or histogram/ -> results, alarm_runs

Entry point: `operator.BurstPlan`. `arguments` checks what a user gives. `learning` learns the thresholds of each group
from its first rows, `thresholds` keeps them, and `commands` adds and removes windows while a stream runs. Imported by
`spark`, by the verbs and their options, and by benchmarks.
"""
