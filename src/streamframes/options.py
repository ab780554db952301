"""Options that verbs share: values that are checked when they are written, each with a short form.

schedule="20 seconds"      schedule=Schedule("20 seconds", jitter="2 seconds", missing="holds")
lateness="1 minute"        stream=Stream(lateness="1 minute", fragments=True)
search="all"               search=Search("all", error=0.02)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

from streamframes.arguments import Condition
from streamframes.core.batch.clock import Duration, check_duration
from streamframes.core.bursts.plan import ERROR_SIDES, SEARCHES
from streamframes.core.frames.schedule import MISSING, OPEN_ON
from streamframes.core.operator.step import LATE
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument


@dataclass(frozen=True)
class Schedule:
    """When reports are expected, and what a missing one does.

    Parameters
    ----------
    every
        Reports are expected at multiples of this, counted from the first report of each group or from `offset`.
    offset
        The phase of the schedule, counted from 1970 or 0.
    jitter
        How much a report may be early or late; less than half of `every`.
    missing
        What a missing report does: `"ends"` the frame, `"holds"` it open, or counts as `"true"` or `"false"`
        (Threshold only).
    open_on
        `"real"`: an imputed report opens no frame.

    Examples
    --------
    >>> Schedule("20 seconds", missing="holds")
    Schedule(every='20 seconds', offset=None, jitter=None, missing='holds', open_on='any')
    """

    every: Duration
    offset: Duration | None = None
    jitter: Duration | None = None
    missing: str = "ends"
    open_on: str = "any"

    def __post_init__(self) -> None:
        check_duration(self.every, "schedule")
        if self.jitter is not None:
            check_duration(self.jitter, "jitter")
        check_choice(self.missing, "missing", MISSING)
        check_choice(self.open_on, "open_on", OPEN_ON)


@dataclass(frozen=True)
class Stream:
    """What is known of a stream, and what is wanted of it beside its results.

    Parameters
    ----------
    lateness
        How far behind the latest instant a row may come, where the rows have no watermark of their own.
    punctuation, punctuation_all
        Conditions: a row that satisfies one is no data but says that all rows of its group, or of all groups, up to
        its instant have been seen. Tables leave such rows out too.
    late
        What a row does that comes too late: it is counted (`"count"`), stops the query (`"fail"`), or amends results
        that were final (`"amend"`), as long as it is no more than `amend_within` behind the watermark.
    amend_within
        How far behind the watermark a row may amend; those further behind are counted.
    early
        Report results before they are certain, and what changes of them: see `frame_version`, `frame_final` and
        `frame_retracted` in the results, by which a consumer replaces what it has under a `frame_id`.
    fragments
        Report what is certain of a frame or a rectangle before it ends, and again whenever it has grown.
    punctuations
        Add rows with a null id that say of each group what is known: no further frame starts before their start, and
        all frames that end up to their end have been reported. `frames()` only.
    control
        A stream of commands beside the rows: for `bursts()` action (`"add"`, `"remove"`), window and threshold; for
        `sessions()` action (`"add"`, `"drop"`), name and expression of a measure.

    Examples
    --------
    >>> Stream(lateness="1 minute").late
    'count'
    """

    lateness: Duration | None = None
    punctuation: Condition | None = None
    punctuation_all: Condition | None = None
    late: str = "count"
    fragments: bool = False
    punctuations: bool = False
    control: object = None
    early: bool = False
    amend_within: Duration | None = None

    def __post_init__(self) -> None:
        check_choice(self.late, "late", LATE)
        for name in ("fragments", "punctuations", "early"):
            if not isinstance(getattr(self, name), bool):
                raise InvalidArgument(f"{name}={getattr(self, name)!r} is neither True nor False")
        if (self.late == "amend") != (self.amend_within is not None):
            missing = "amend_within='1 day'" if self.late == "amend" else "late='amend'"
            given = f"late={self.late!r}, amend_within={self.amend_within!r}"
            raise InvalidArgument(f"Stream() got {given}: add {missing}, or leave both out")
        if self.amend_within is not None:
            check_duration(self.amend_within, "amend_within")
        self._check_changes()

    @property
    def has_changes(self) -> bool:
        """Whether results are changes, which are replaced and retracted."""
        return self.early or self.late == "amend"

    def _check_changes(self) -> None:
        """Refuse what changes cannot be combined with."""
        reason = "early=True" if self.early else "late='amend'"
        for name, given in (("fragments", self.fragments), ("punctuations", self.punctuations)):
            if given and self.has_changes:
                raise InvalidArgument(f"Stream() got {reason} and {name}=True; leave one of them out")
        if self.control is not None and self.has_changes:
            raise InvalidArgument(f"Stream() got {reason} and control=; leave one of them out")


@dataclass(frozen=True)
class Search:
    """How `bursts()` searches.

    Parameters
    ----------
    kind
        `"exact"`, `"all"` (every window, in histograms of bounded size) or `"monotonic"` (bisection in the order of
        windows, an approximation). Exact unless the longest window is longer than 100,000.
    error
        The relative error of histograms.
    error_side
        To which side they err: `"never_miss"` estimates too high, `"never_false"` too low.

    Examples
    --------
    >>> Search("all", error=0.02)
    Search(kind='all', error=0.02, error_side='never_miss')
    """

    kind: str | None = None
    error: float = 0.01
    error_side: str = "never_miss"

    def __post_init__(self) -> None:
        if self.kind is not None:
            check_choice(self.kind, "search", SEARCHES)
        right = isinstance(self.error, int | float) and not isinstance(self.error, bool) and 0 < self.error < 1
        if not right:
            raise InvalidArgument(f"error={self.error!r}; it lies between 0 and 1")
        check_choice(self.error_side, "error_side", ERROR_SIDES)


# Options of a stream that not every verb has.
_NOT_EVERYWHERE = ("fragments", "punctuations", "control", "early", "amend_within")


_NO_OPTIONS = Stream()


def stream_of(stream: Stream | None, lateness: Duration | None, verb: str, takes: Sequence[str] = ()) -> Stream:
    """The options of a stream, of which `lateness` is the short form; `takes` are those that not every verb has."""
    if stream is None:
        return _NO_OPTIONS if lateness is None else Stream(lateness=lateness)
    if not isinstance(stream, Stream):
        raise InvalidArgument(f"{verb}() got stream={stream!r}; give sf.Stream(lateness='1 minute', ...)")
    if lateness is not None:
        raise InvalidArgument(f"{verb}() got lateness={lateness!r} beside stream=; write it there: {stream!r}")
    for field in fields(stream):
        if field.name in _NOT_EVERYWHERE and field.name not in takes:
            value = getattr(stream, field.name)
            if value is not field.default:
                raise InvalidArgument(f"{verb}() got stream=Stream({field.name}={value!r}), which it has no use for")
    return stream


def schedule_of(schedule: Schedule | Duration | None) -> Schedule | None:
    """The schedule, of which its period is the short form."""
    return schedule if schedule is None or isinstance(schedule, Schedule) else Schedule(schedule)


def search_of(search: Search | str | None) -> Search:
    """The search, of which its kind is the short form."""
    return search if isinstance(search, Search) else Search(search)
