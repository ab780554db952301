"""Failures: what Spark reports over pages, as the one line that tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql.streaming.query import StreamingQuery

from streamframes.errors import StreamFramesError

_STATE = " SQLSTATE:"
_MISSING = "No module named 'streamframes"
_TRACEBACK = "Traceback (most recent call last):"
# What follows the reason: where the error was in the JVM, and what Spark says of the query.
_REST = re.compile(r"^(?:JVM stacktrace:|Driver stacktrace:|=== Streaming Query ===)", re.MULTILINE)
_OURS = re.compile(r"^streamframes\.errors\.\w+: (.+)$", re.MULTILINE)
# What stands before the reason: names of classes of Spark and of errors, and what they say of the query or the task.
_WRAPPED = re.compile(
    r"""^(?:
        \[[A-Z][\w.]*\]\s
      | \([A-Z_]+\)\s
      | \[session:\s[^]]*\]\s\[userId:\s[^]]*\]\s
      | (?:org\.apache\.spark|pyspark\.errors)\.[\w.$]+:\s
      | Query\s.*?\[id\s=\s.*?\]\sterminated\swith\sexception:\s
      | Job\saborted\sdue\sto\sstage\sfailure:\s
      | Task\s\d+\sin\sstage\s\S+\sfailed\s\d+\stimes,\smost\srecent\sfailure:\s
      | Lost\stask\s\S+\sin\sstage\s\S+\s\(TID\s\d+\)\s\(.*?\):\s
      | An\serror\soccurred\sin\sthe\suser\sprovided\sfunction\sin\sforeach\sbatch\ssink\.\sReason:\s
    )""",
    re.VERBOSE,
)
REMEDY = (
    "the Python of a worker does not have this library; install it there, or ship it with the job, by --py-files or "
    "spark.archives"
)
_LOGGERS = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")


@contextmanager
def unlogged() -> Iterator[None]:
    """Let Spark not log a failed analysis as an error of its own: here it is an answer."""
    loggers = [PySparkLogger.getLogger(name) for name in _LOGGERS]
    before = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, disabled in zip(loggers, before, strict=True):
            logger.disabled = disabled


@contextmanager
def plain_failures(what: str) -> Iterator[None]:
    """Raise what Spark reports as one line that begins with `what`."""
    with unlogged():
        try:
            yield
        except (PySparkException, Py4JError) as error:
            raise StreamFramesError(f"{what}: {reason(error)}") from error


def reason(error: BaseException) -> str:
    """The line that tells most: what a Python worker or a sink raised, else the first line of Spark's text.

    >>> reason(ValueError("[PATH_NOT_FOUND] Path does not exist: a.csv. SQLSTATE: 42K03"))
    'Path does not exist: a.csv.'
    """
    text = str(error.java_exception.getMessage()) if isinstance(error, Py4JJavaError) else str(error)
    return reason_in(text) or type(error).__name__


def reason_in(text: str) -> str:
    """The line that tells most of the text of an error; nothing of an empty one.

    >>> reason_in("[STREAM_FAILED] Query [id = 1] terminated with exception: [NO_FILE] No file a.csv. SQLSTATE: 1")
    'No file a.csv.'
    """
    text = _REST.split(text, maxsplit=1)[0]
    ours = _OURS.findall(text)
    _, traceback, after = text.rpartition(_TRACEBACK)
    raised = [line for line in after.splitlines()[1:] if line.strip() and not line.startswith((" ", "\t"))]
    lines = ours[-1:] or (raised if traceback else []) or [line for line in text.splitlines() if line.strip()]
    line = lines[0].strip() if lines else ""
    while (rest := _WRAPPED.sub("", line)) != line:
        line = rest
    line = line.partition(_STATE)[0].strip()
    return f"{line}: {REMEDY}" if _MISSING in line else line


def why_stopped(failed: StreamingQuery | BaseException) -> str | None:
    """Why a query has failed, of the query or of what it has raised; None where it has not."""
    error = failed if isinstance(failed, BaseException) else failed.exception()
    return None if error is None else reason(error)
