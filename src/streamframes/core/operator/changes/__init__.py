"""Changes: results before they are certain, and results that late rows amend, as versions and retractions.

Entry point: `bucket.ChangePlan`, which stands in the place of a `StreamPlan`. A bucket has levels, each a
bucket of a stream at a watermark of its own; `arrivals` are the groups that rows came for, `rerun` runs copies of them,
`reported` keeps what was last reported of each frame. Used by `spark.streaming`.
"""
