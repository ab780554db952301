"""The watch: listens to the queries of a session, or to one, and answers with their last figures."""

from __future__ import annotations

from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, TypeGuard, cast

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.listener import (
    QueryIdleEvent,
    QueryProgressEvent,
    QueryStartedEvent,
    QueryTerminatedEvent,
    StreamingQueryListener,
)
from pyspark.sql.streaming.query import StreamingQuery

from streamframes.core.validation import check_positive_int
from streamframes.errors import InvalidArgument, StreamFramesError
from streamframes.spark.compat import running_session
from streamframes.spark.failures import reason, reason_in, why_stopped
from streamframes.spark.watching.endpoint import Endpoint, serve
from streamframes.spark.watching.exposition import exposed
from streamframes.spark.watching.figures import Figures
from streamframes.spark.watching.record import Record

if TYPE_CHECKING:
    import pandas as pd

_GONE = (PySparkException, Py4JError, OSError)


class Watch:
    """The last figures of streaming queries, also while they are idle and after they have ended.

    Use it as a context manager, or call `stop()`: a watch that is not stopped listens as long as the session lives.
    """

    def __init__(self, watched: SparkSession | StreamingQuery, history: int = 1000) -> None:
        check_positive_int(history, "watch() got history")
        self._record = Record(history)
        self._endpoints: list[Endpoint] = []
        self._query: StreamingQuery | None = watched if _is_query(watched) else None
        self._session = _session_of(watched)
        self._listener: StreamingQueryListener | None = None
        # A query that has ended brings nothing new.
        if self._query is None or self._query.isActive:
            self._listener = _Listener(self._record, None if self._query is None else str(self._query.id))
            self._session.streams.addListener(self._listener)
        for query in self._queries():
            self._record.started(str(query.id), query.name)
        self._pull(everything=True)

    def figures(self, query: StreamingQuery | str | None = None) -> Figures:
        """The last figures of a query, by its name or id; it may be left out where there is one."""
        self._pull()
        found = self._record.figures()
        if query is None and len(found) == 1:
            return found[0]
        key = query if isinstance(query, str) else None if query is None else str(query.id)
        for each in found:
            if key in (each.query, each.id):
                return each
        names = ", ".join(each.query for each in found) or "none yet"
        why = "of several queries, name one" if query is None and found else f"figures of {key!r} are not there"
        raise InvalidArgument(f"figures(): {why}; the queries are {names}")

    @property
    def queries(self) -> dict[str, Figures]:
        """The last figures of each query, by its name, or its id where it has none."""
        self._pull()
        return {each.query: each for each in self._record.figures()}

    def toArrow(self) -> pa.Table:
        """The micro-batches so far, one in each row; the oldest are forgotten first."""
        self._pull()
        return self._record.history()

    def toPandas(self) -> pd.DataFrame:
        """`toArrow()` for pandas."""
        made: pd.DataFrame = self.toArrow().to_pandas()
        return made

    def toDF(self) -> DataFrame:
        """`toArrow()` as a DataFrame of the session."""
        made: DataFrame = self._session.createDataFrame(self.toArrow())
        return made

    def exposition(self) -> str:
        """The figures as Prometheus reads them."""
        return exposed(self._record.figures())

    def serve(self, port: int = 0, *, host: str = "127.0.0.1") -> str:
        """Serve the figures to Prometheus under the address that is returned, until `stop()`; 0 takes a free port.

        There is no password: whoever reaches the host and the port reads the figures.
        """
        endpoint = serve(self.exposition, host, port)
        self._endpoints.append(endpoint)
        return endpoint.url

    def awaitTermination(self, timeout: float | None = None) -> bool:
        """Wait until the query has ended, or for some seconds; one that fails raises its reason, and nothing else."""
        if self._query is None:
            raise InvalidArgument("awaitTermination() waits for one query; watch(query) watches one")
        try:
            ended = self._query.awaitTermination(timeout)  # type: ignore[arg-type]  # seconds may be a fraction
        except PySparkException as error:
            raise StreamFramesError(reason(error)) from None
        return timeout is None or bool(ended)

    def stop(self) -> None:
        """Stop listening and serving. The figures so far stay."""
        listener, self._listener = self._listener, None
        if listener is not None:
            self._pull()
            with suppress(*_GONE):
                self._session.streams.removeListener(listener)
        while self._endpoints:
            self._endpoints.pop().close()

    def __enter__(self) -> Watch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self.queries.values())) or "no query yet"

    def _queries(self) -> list[StreamingQuery]:
        return [self._query] if self._query is not None else list(self._session.streams.active)

    def _pull(self, *, everything: bool = False) -> None:
        """Take what listeners may not have brought yet; nothing where the session is no more."""
        with suppress(*_GONE):
            for query in self._queries():
                last = query.lastProgress
                if last is not None and (not self._record.take(last) or everything):
                    for progress in query.recentProgress:
                        self._record.take(progress)
                if not query.isActive:
                    self._record.ended(str(query.id), why_stopped(query))


class _Listener(StreamingQueryListener):
    """Keeps what Spark says of queries, of all or of one; the names of its methods are Spark's."""

    def __init__(self, record: Record, only: str | None) -> None:
        self._record = record
        self._only = only

    def onQueryStarted(self, event: QueryStartedEvent) -> None:
        """A query starts."""
        if self._only in (None, str(event.id)):
            self._record.started(str(event.id), event.name)

    def onQueryProgress(self, event: QueryProgressEvent) -> None:
        """A micro-batch has ended."""
        if self._only in (None, str(event.progress.id)):
            self._record.take(event.progress)

    def onQueryIdle(self, event: QueryIdleEvent) -> None:
        """A query waits for data."""
        if self._only in (None, str(event.id)):
            self._record.idle(str(event.id))

    def onQueryTerminated(self, event: QueryTerminatedEvent) -> None:
        """A query has ended."""
        if self._only in (None, str(event.id)):
            self._record.ended(str(event.id), None if event.exception is None else reason_in(event.exception))


def _is_query(watched: object) -> TypeGuard[StreamingQuery]:
    """Whether this is a query, classic or Connect."""
    return hasattr(watched, "lastProgress")


def _session_of(watched: SparkSession | StreamingQuery) -> SparkSession:
    """The session, or that of a query: a classic one does not say it, and then it is the one that runs."""
    session = getattr(watched, "_session", None) or running_session() if _is_query(watched) else watched
    if not hasattr(session, "streams"):
        raise InvalidArgument(f"watch() got a {type(watched).__name__}; give a query that has started, or a session")
    return cast("SparkSession", session)
