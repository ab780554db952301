"""Skipping: files and row groups in which no row can satisfy a condition, by what is known without reading them.

  where=  region = 'EU' and v > 7
  file    region  v                  may hold
  0       EU      1 to 5             no: v
  1       EU      3 to 9             yes
  2       US      8 to 9             no: region
  3       EU      nothing is known   yes

Entry point: `pruned.read_table`. Imported by `streamframes.core.files.logs` and `streamframes.spark.scan`.
"""
