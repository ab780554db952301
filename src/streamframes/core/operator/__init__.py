"""Operator: the contract of what stands in a bucket, and the buckets that know nothing but the contract.

Entry points: `protocol.Operator` and `protocol.OperatorPlan`, which every operator implements; `table_bucket` and
`stream_bucket`, which feed it. `step` is what a micro-batch brings, `commands` what changes an operator while it runs,
`store` and `state_codec` where its state is kept and how it is written. Used by all operators of the core, and by
`spark`.
"""
