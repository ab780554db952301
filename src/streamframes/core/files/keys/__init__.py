"""Group numbers: the group of each row of a file, and rows brought together by group.

Entry points: `key_index.KeyNumbers` and `group_by.grouped`. Imported by `streamframes.core.files.segments`.
"""
