"""Worker: Spark's Python workers, forked from a process that has the library loaded.

`daemon` is that process, which Spark starts by the setting of `spark/session.py`; `worker.lasting` ends every task.
`batch`, `scan` and `streaming` import it.
"""
