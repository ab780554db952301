"""Watching: what an operator sees of streaming queries, and why one has failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamframes.spark import SparkSession, StreamingQuery
    from streamframes.spark.watching.watch import Watch


def watch(watched: SparkSession | StreamingQuery, *, history: int = 1000) -> Watch:
    """Keep the last figures of a query, or of all queries of a session, also while they are idle.

    The value that is returned has `figures()` (late rows, open frames, waiting rows, watermark, size of the state,
    seconds behind, the reason of a failure), the history of the micro-batches as a table, and `serve()` for
    Prometheus. Use it as a context manager, or call `stop()`.

    Parameters
    ----------
    watched
        A query that has started, or a session, classic or Connect: then all its queries, later ones too.
    history
        How many micro-batches the history has; the oldest are forgotten first.
    """
    from streamframes.spark.watching.watch import Watch

    return Watch(watched, history)


def reason(failed: StreamingQuery | BaseException) -> str | None:
    """Why a query has failed, in one line: what the library, a sink or a function of yours said; None if it has not.

    Spark wraps what a worker or a sink raises into some hundred lines. A message of the library stands alone here; any
    other error begins with the name of its class.

    Parameters
    ----------
    failed
        A query, or the exception that it raised.

    Examples
    --------
    >>> reason(RuntimeError("Traceback (most recent call last):\\n  File ...\\nConnectionError: refused"))
    'ConnectionError: refused'
    """
    from streamframes.spark.failures import why_stopped

    return why_stopped(failed)
