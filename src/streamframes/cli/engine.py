"""Engine: a Spark that starts and works without a word, and shows how far it is."""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from streamframes.cli.terminal import counting, waiting
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    from streamframes.cli.options.common import SparkOptions
    from streamframes.spark import SparkSession

T = TypeVar("T")

_PROGRESS = "spark.ui.showConsoleProgress"
_CHATTER = ("WARN", "Using Spark", "Setting ", "To adjust")


@dataclass(frozen=True)
class Engine:
    """A session, and how the command line runs jobs on it."""

    spark: SparkSession

    def run(self, doing: str, job: Callable[[], T], *, failed: str | None = None) -> T:
        """Run a job with a bar of its tasks; a failure is one line that begins with `failed`."""
        from streamframes.spark.failures import plain_failures
        from streamframes.spark.progress import watched

        with (
            counting(doing) as bar,
            plain_failures(failed or f"{doing} failed"),
            watched(self.spark, lambda tasks: bar(tasks.done, tasks.total)),
        ):
            return job()

    def analyse(self, given: str, build: Callable[[], T]) -> T:
        """Let Spark look at an expression of the user; one that it cannot evaluate is a bad argument."""
        from streamframes.spark.failures import plain_failures

        try:
            with plain_failures(f"{given} cannot be evaluated"):
                return build()
        except StreamFramesError as error:
            raise InvalidArgument(str(error)) from error


def start(options: SparkOptions, **settings: str) -> Engine:
    """The session of this process, or a new one, with `settings`, whose messages reach no terminal."""
    if options.master is not None and options.remote is not None:
        raise InvalidArgument("--master and --remote both say where Spark runs; give one of them")
    settings = {_PROGRESS: "false", **settings, **_settings(options.conf)}
    with waiting("Starting Spark"):
        from streamframes.api.rows import session
        from streamframes.spark import SparkSession
        from streamframes.spark.failures import plain_failures

        running = SparkSession.getActiveSession()
        if running is not None:
            return Engine(running)
        # Python's own loggers would report an interrupted job with a traceback.
        logging.getLogger().addHandler(logging.NullHandler())
        with hushed() as log:
            try:
                with plain_failures("Spark did not start"):
                    return Engine(session(master=options.remote or options.master, **settings))
            except StreamFramesError as error:
                raise StreamFramesError(f"{error} {_first_complaint(log)}") from error


def _settings(texts: Iterable[str]) -> dict[str, str]:
    found = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise InvalidArgument(f"--conf {text!r} is not key=value; write it like 'spark.executor.memory=4g'")
        found[key.strip()] = value.strip()
    return found


@contextmanager
def hushed() -> Iterator[BinaryIO]:
    """Send what is written to stdout and stderr to a file, for the processes started meanwhile for ever.

    Java keeps the descriptors that it is started with, and so do Python workers: no setting of Spark suppresses
    the lines that Java itself writes.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    with tempfile.TemporaryFile() as log:
        try:
            for number in saved:
                os.dup2(log.fileno(), number)
            yield log
        finally:
            for number, copy in saved.items():
                os.dup2(copy, number)
                os.close(copy)


def _first_complaint(log: BinaryIO) -> str:
    log.seek(0)
    lines = log.read().decode(errors="replace").splitlines()
    lines = [line.strip() for line in lines if line.strip() and not any(word in line for word in _CHATTER)]
    return f"Spark needs Java 17 or newer. ({lines[0]})" if lines else "Spark needs Java 17 or newer."
