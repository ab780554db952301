"""Failures: what Spark reports over pages, as the one line that tells."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger

from streamframes.errors import StreamFramesError

_STATE = " SQLSTATE:"
_MISSING = "No module named 'streamframes"
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
    """The line that tells most: the end of a Python worker's traceback, else the first line of Spark's text.

    >>> reason(ValueError("[PATH_NOT_FOUND] Path does not exist: a.csv. SQLSTATE: 42K03"))
    'Path does not exist: a.csv.'
    """
    text = str(error.java_exception.getMessage()) if isinstance(error, Py4JJavaError) else str(error)
    lines = [line.strip() for line in text.split("JVM stacktrace:")[0].splitlines() if line.strip()]
    traceback = any(line.startswith("Traceback ") for line in lines)
    line = (lines[-1] if traceback else lines[0]) if lines else type(error).__name__
    line = line.partition(_STATE)[0]
    if _MISSING in line:
        return f"{line}: {REMEDY}"
    return line.partition("] ")[2] if line.startswith("[") and "] " in line else line
