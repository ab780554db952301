"""Logs: tables whose log says which files are theirs, what their columns are, and which rows have been deleted.

  log      part-0 has k, v | k is called key | part-1 has k, v, w | rows 3 and 8 of part-0 are deleted
  dataset  part-0 with key and v, without rows 3 and 8, w is null;  part-1 with key, v, w

Delta tables are read by `deltalake`, Iceberg tables by `pyiceberg`; only the log is, the files are read as any others.
What a log says and is not understood here is refused. Entry point: `opened.open_table`. Imported by
`streamframes.spark.scan`.
"""
