"""Streaming: a plan of the core carried out on a stream, in buckets whose state Spark keeps.

`run.stream_results` is the entry point: packed rows (`stateful`) meet in the processor of their bucket (`processor`),
under a watermark (`watermark`, `events`), beside commands (`commands`). `planning` imports it.
"""
