"""The results of every verb on record, frame ids included: what must stay the same from version to version.

  inputs.py ── rows made by hand and by streamframes.data ──> Parquet files of several row groups
  cases/    ── calls of the verbs ──> over a table, a scan, and a stream that reads one file in each micro-batch
  results/  ── for each verb: columns, number of rows, a digest of all rows to the last bit, the first rows in clear

A scan must give what the table gives, so both share a file. A stream's rows are kept with their micro-batch.

Where a change of results is meant, record it anew, look at the difference, and say in the commit which case changed
and why:

  PYSPARK_PYTHON=.venv/bin/python .venv/bin/python -m tests.golden.record frames "threshold, hysteresis"

The first argument is a verb, those after it are cases of it; without cases all of the verb are recorded, without
arguments all verbs. With `PYTHONPATH` set to the `src` of another version and to this folder's root, the same cases are
recorded from that version.
"""
