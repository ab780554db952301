"""Watermarks: who says of a stream what has been seen of it, by a watermark or by punctuation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.schemes.base import Input
from streamframes.errors import InvalidArgument
from streamframes.options import Stream
from streamframes.spark.columns import scheme_input
from streamframes.spark.compat import can_keep_state
from streamframes.spark.settings import PROVIDER, ROCKSDB
from streamframes.spark.streaming.events import USERS_CLOCK, EventClock, own_clock

WATERMARK = "spark.watermarkDelayMs"


@dataclass(frozen=True)
class Watch:
    """Who says what of a stream has been seen: the user's watermark, a lateness in ticks, or neither."""

    by_user: bool = False
    lateness: int | None = None

    @property
    def is_watched(self) -> bool:
        """Whether there is a watermark."""
        return self.by_user or self.lateness is not None


@dataclass(frozen=True)
class StreamSettings:
    """What is known of a stream, and what is wanted of it: options that have been checked against its rows."""

    watch: Watch
    punctuation: Column | None
    punctuation_all: Column | None
    fragments: bool
    late: str
    punctuations: bool
    early: bool = False
    amend_within: int | None = None

    @property
    def has_changes(self) -> bool:
        """Whether results are changes, which are replaced and retracted."""
        return self.early or self.amend_within is not None

    def refuse_changes(self, what: str) -> None:
        """Refuse what needs results that stay as they are."""
        if self.has_changes:
            given = "early=True" if self.early else "late='amend'"
            raise InvalidArgument(
                f"{what} got a stream with {given}, whose results are replaced and retracted; leave that out, or write "
                "the results and read them as a table"
            )


def check_stream(rows: DataFrame, ts: str, clock: Clock, stream: Stream, verb: str) -> StreamSettings:
    """Refuse what a stream cannot do, with a remedy."""
    own, everybody = (
        None if condition is None else scheme_input(rows, Input(name, condition, "condition"), verb)
        for name, condition in (("punctuation", stream.punctuation), ("punctuation_all", stream.punctuation_all))
    )
    is_punctuated = own is not None or everybody is not None
    hint = None if is_punctuated else ", or name rows that are punctuation with stream=Stream(punctuation=...)"
    watch = check_watch(rows, ts, clock, stream.lateness, verb, hint)
    if stream.punctuations and not rows.isStreaming:
        raise InvalidArgument(f"{verb} got punctuations=True for a table, of which everything is known; leave it out")
    within = None if stream.amend_within is None else clock.ticks(stream.amend_within, "amend_within")
    late = "count" if within is not None else stream.late
    settings = StreamSettings(
        watch, own, everybody, stream.fragments, late, stream.punctuations, early=stream.early, amend_within=within
    )
    if settings.has_changes and not rows.isStreaming:
        given = "early=True" if stream.early else "late='amend'"
        raise InvalidArgument(f"{verb} got {given} for a table, of which everything is known; leave it out")
    return settings


def check_watch(
    rows: DataFrame, ts: str, clock: Clock, lateness: Duration | None, verb: str, hint: str | None = ""
) -> Watch:
    """Who watches `ts`; refuses a stream of which nothing is ever known. With no `hint`, nobody need."""
    allowed = check_lateness(clock, lateness)
    if not rows.isStreaming:
        return Watch(lateness=allowed)
    watched = [field.name for field in rows.schema if WATERMARK in (field.metadata or {})]
    others = [name for name in watched if name != ts]
    if others:
        raise InvalidArgument(
            f"{verb} got rows with a watermark on {others[0]!r}, but they are ordered by ts={ts!r}; "
            f"write withWatermark({ts!r}, ...) or leave it out and give lateness="
        )
    if watched and allowed is not None:
        raise InvalidArgument(f"{verb} got lateness= for rows with a watermark on {ts!r}; give one of the two")
    if not watched and allowed is None and hint is not None:
        raise InvalidArgument(
            f"{verb} got a stream without a watermark; say how late rows may come with lateness='1 minute' or "
            f"rows.withWatermark({ts!r}, '1 minute'){hint}"
        )
    check_provider(rows, verb)
    return Watch(bool(watched), allowed)


def check_lateness(clock: Clock, lateness: Duration | None) -> int | None:
    """The lateness in ticks."""
    if lateness is None:
        return None
    check_duration(lateness, "lateness", zero=True)
    return clock.ticks(lateness, "lateness")


def check_provider(rows: DataFrame, verb: str) -> None:
    """Refuse a session whose streams cannot keep the state."""
    if not can_keep_state(rows):
        raise InvalidArgument(
            f"{verb} of a stream over Connect needs Spark 4.1 or newer, and this is {rows.sparkSession.version}; "
            "tables work here, and streams in a session that is not Connect's"
        )
    provider = str(rows.sparkSession.conf.get(PROVIDER, ""))
    if "RocksDB" not in provider:
        raise InvalidArgument(
            f"{verb} of a stream needs the RocksDB state store, but {PROVIDER} is {provider.rpartition('.')[2]!r}; "
            f"set it: spark.conf.set({PROVIDER!r}, {ROCKSDB!r})"
        )


def event_clock(clock: Clock, watches: Sequence[Watch]) -> EventClock | None:
    """How the watermark of streams is read that meet in one stage; None where punctuation alone says what was seen."""
    if any(watch.by_user for watch in watches):
        return USERS_CLOCK
    allowed = [watch.lateness for watch in watches if watch.lateness is not None]
    return own_clock(clock, min(allowed)) if allowed else None
