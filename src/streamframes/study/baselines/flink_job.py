"""One query of Flink, in a process of its own: PyFlink and PySpark want different versions of the same packages.

Reads {"folder": ..., "query": ...} from standard input and prints {"frames": ..., "rows": ..., "seconds": ...}.
Needs nothing but PyFlink.
"""

from __future__ import annotations

import json
import sys
import time

ROWS_SQL = """
create table rows_of (`key` string, ts timestamp(6), `value` double, volume bigint)
with ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'csv')
"""
COUNT_SQL = "select count(*) as frames, sum(frame_rows) as covered from ({query})"


def main() -> None:
    """Run the query and say what it found."""
    from pyflink.table import EnvironmentSettings, TableEnvironment

    question = json.load(sys.stdin)
    tables = TableEnvironment.create(EnvironmentSettings.in_batch_mode())
    tables.execute_sql(ROWS_SQL.format(folder=question["folder"]))
    start = time.perf_counter()
    with tables.execute_sql(COUNT_SQL.format(query=question["query"])).collect() as found:
        frames, rows = next(iter(found))
    print(json.dumps({"frames": frames, "rows": rows or 0, "seconds": time.perf_counter() - start}))


if __name__ == "__main__":
    main()
