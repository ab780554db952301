"""Segments of time: a table in files, cut so that each segment is read and scanned by one worker.

  files     ....|....|....|....|....|....|....      row groups, with the range of instants of each
  segments  [     0      ][     1      ][    2  ]   cut where few row groups lie across
  worker    each segment is scanned as if nothing came before; its runs leave it, not its rows
  merge     the segments of a group, one after the other; frames that cross a boundary are repaired

Where a run begins anew whatever came before (Threshold, Boundary, Change, Gap), only the first run of a group is open
to doubt: its *boundary run*. For other schemes a segment sends the first rows of a group, its *warm-up rows*, until
frames do not depend on where the first of them began. The merge scans these rows again from the true state, and takes
the rest only if it comes to the same state as the segment; else rows of the group are read again.

Where that does not pay, or frames cannot be merged, each worker finds all frames of some groups: a *key-partitioned
read*; `split` decides. Entry points: `can_be_merged`, `split_by_time`, `SegmentScan`, `merge`, `partition_results`.
Imported by `streamframes.spark.scan`.
"""
