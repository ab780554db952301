"""Batch: rows in columns, the groups they belong to, and chunks of them on their way.

Entry points: `rows.Rows`, `groups.GroupIndex`, and `packer.Packer`, which makes a `chunk` for each bucket. `pieces` are
chunks cut for Spark, `reorder_buffer` puts rows in order, `clock` says what a tick is, `tree` is what state is made of.
Used by all of the core, and by `spark`.
"""
