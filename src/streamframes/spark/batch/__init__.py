"""Batch: rows packed into chunks, and chunks reduced to results, as Spark carries them.

`pack.packing` makes chunks on the map side, `reduce.reduced` makes results of them after the shuffle, `prefilter`
leaves rows in the JVM that lie in no frame. `planning`, `scan` and `streaming` import it.
"""
