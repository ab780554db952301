"""Sources of frames: what a framing, or a search whose runs are frames, offers to those who tag and fill them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pyspark.sql import Column, DataFrame

from streamframes.core.batch.clock import Clock
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.spark.streaming.run import StreamOptions


class FrameSource(Protocol):
    """Frames that are planned: from which rows, by which groups, and how to have them."""

    @property
    def rows(self) -> DataFrame:
        """The rows they are found in."""

    @property
    def data(self) -> DataFrame:
        """Those that are no punctuation."""

    @property
    def clock(self) -> Clock:
        """The clock of the instants."""

    @property
    def ts(self) -> str:
        """The column of the instants."""

    @property
    def ties(self) -> tuple[str, ...]:
        """The columns that break ties."""

    @property
    def by(self) -> tuple[str, ...]:
        """The group columns."""

    @property
    def fill_by(self) -> tuple[str, ...]:
        """The columns of a frame by which rows belong to it, unless told otherwise."""

    @property
    def space(self) -> tuple[str, ...]:
        """The columns of a row's place, where frames have one."""

    @property
    def prefix(self) -> str:
        """What the names of frame columns begin with."""

    @property
    def options(self) -> StreamOptions:
        """What is asked of a stream."""

    @property
    def is_stream(self) -> bool:
        """Whether the rows are a stream."""

    def n_buckets(self) -> int:
        """How many buckets the groups are hashed onto."""

    def planned(self, extra: Sequence[Column] = ()) -> tuple[list[Column], OperatorPlan]:
        """The columns that travel, and the plan of the core for them."""

    def frame_table(self, measures: Sequence[Any]) -> DataFrame:
        """The frames."""

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The frames with measures over their own rows."""

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of their frames."""

    def explain(self) -> str:
        """Which way the rows go."""

    def describe(self) -> str:
        """The plan in one line."""
