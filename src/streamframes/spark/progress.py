"""Progress: how many tasks of a job are done, and how many rows passed."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, Thread

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import StatusTracker
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from streamframes.spark.buckets import context_of

_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


@dataclass(frozen=True)
class Tasks:
    """Tasks of the jobs so far; Spark starts jobs one after the other, so the total grows."""

    done: int
    total: int


@contextmanager
def watched(spark: SparkSession, report: Callable[[Tasks], None], *, every: float = 0.2) -> Iterator[None]:
    """Report the tasks of the jobs that the body starts, some times a second.

    A Connect session has no tracker: there the body runs unwatched.
    """
    context = context_of(spark)
    if context is None:
        yield
        return
    group, finished = f"streamframes-{uuid.uuid4().hex}", Event()

    def poll() -> None:
        tracker = context.statusTracker()
        while not finished.wait(every):
            try:
                report(_tasks(tracker, group))
            except (Py4JError, OSError):
                return  # The gateway is gone, and the body will say so.

    before = {name: context.getLocalProperty(name) for name in _GROUP}
    context.setJobGroup(group, "streamframes")
    poller = Thread(target=poll, name="streamframes-progress", daemon=True)
    poller.start()
    try:
        yield
    finally:
        finished.set()
        poller.join()
        for name, value in before.items():
            context.setLocalProperty(name, value)  # type: ignore[arg-type]  # None takes it away


def _tasks(tracker: StatusTracker, group: str) -> Tasks:
    done = total = 0
    for number in tracker.getJobIdsForGroup(group):
        job = tracker.getJobInfo(number)
        if job is None:
            continue
        stages = [tracker.getStageInfo(stage) for stage in sorted(job.stageIds)]
        known = [(stage.numCompletedTasks, stage.numTasks, stage.numActiveTasks) for stage in stages if stage]
        begun = [place for place, (completed, _, active) in enumerate(known) if completed or active]
        for place, (completed, tasks, _) in enumerate(known):
            # A stage that has not begun though a later one has, or the job has ended, is skipped.
            skipped = not completed and (job.status != "RUNNING" or any(later > place for later in begun))
            done, total = done + completed, total + (0 if skipped else tasks)
    return Tasks(done, total)


def counted(rows: DataFrame) -> tuple[DataFrame, Callable[[], int]]:
    """The same rows, and how many passed, which is known once a job over them has ended."""
    seen = Observation()

    def total() -> int:
        try:
            return int(seen.get["rows"])
        except Py4JJavaError:
            return 0  # Where Spark learns on the way that there are no rows, it observes nothing.

    return rows.observe(seen, F.count(F.lit(1)).alias("rows")), total
