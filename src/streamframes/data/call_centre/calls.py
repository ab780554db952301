"""Centre: the log of a call centre, with the calls, the visits to a service and the sessions inside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.data.arguments import instant, share, whole
from streamframes.data.call_centre.switchboard import Switchboard
from streamframes.data.generated import Generated


@dataclass(frozen=True, eq=False, repr=False)
class CallData(Generated):
    """The log of a call centre, and the sessions that were planted in it."""

    conditions: ClassVar[Mapping[str, tuple[str, str]]] = {
        "Call": ("event_type = 102", "event_type = 104"),
        "ATT": ("event_type = 500 AND expression = 'ATT'", "step_num = 342 AND expression = '#'"),
        "FAQ": ("step_num = 342 AND expression = 'FAQ'", "step_num = 342 AND expression <> 'FAQ'"),
    }
    """Class of sessions -> what opens one and what closes it; each is inside one of the class before."""

    @cached_property
    def calls(self) -> pa.Table:
        """One row for each call, in the order in which they close.

        It has channel, call, frame_start, frame_end, att_visits, att_seconds (all its visits to AT&T together;
        null without any) and fifth_att (when it came to AT&T for the fifth time; null where it did not).
        """
        return self.tables["calls"].table()

    def average_call(self) -> float | None:
        """Mean seconds of a call."""
        return _mean(_seconds(self.calls))

    def average_att(self, last: int | None = None) -> float | None:
        """Mean seconds that a call spends in AT&T, over the calls that do.

        Parameters
        ----------
        last
            Only of so many calls that were the last to close, whether they come to AT&T or not.
        """
        calls = self.calls
        if last is not None:
            last = whole("average_att", "last", last)
            calls = calls.slice(max(0, calls.num_rows - last))
        return _mean(calls["att_seconds"])

    def average_faq(self) -> float | None:
        """Mean seconds of an FAQ session."""
        return _mean(_seconds(self.episodes.filter(pc.equal(self.episodes["frame_class"], "FAQ"))))

    def __repr__(self) -> str:
        calls = self.tables["calls"].span
        return f"<{self.name}: {self.num_rows:,} rows, {calls:,} calls; ts={self.ts}, by={', '.join(self.by)}>"


def calls(
    calls: int = 2_000,
    channels: int = 24,
    *,
    seed: int = 0,
    start: str | datetime = "2026-01-05",
    often: float = 0.1,
    hang_up: float = 0.15,
    idle: float = 0.3,
) -> CallData:
    """The log of a call centre: calls on many channels, visits to services in calls, sessions in visits.

    A call rings (event 107, which is not part of it), opens (102) and closes (104). In it the caller visits AT&T and
    other services; in AT&T the caller asks frequent questions (FAQ), looks for a place or hears of the account.
    What closes a session closes those inside it first, and is their last row.

    Parameters
    ----------
    calls
        How many calls.
    channels
        How many can be under way at once.
    seed
        The same seed, the same data.
    start
        When the log begins: a datetime or ISO text, UTC unless it says otherwise, in whole seconds.
    often
        The share of calls with five to eight visits to AT&T, in [0, 1); others have four at most, or none.
    hang_up
        The share of calls that close inside their last visit, in [0, 1), so that the call closes it.
    idle
        The share of time in which a channel has no call, in [0, 1).

    Returns
    -------
    CallData
        `table` has seq (counts all rows, so it orders those of one second), ts, channel, step_num, event_type,
        expression and descr. `episodes` are the sessions of `conditions`, by call and opening row: channel, call,
        visit (to AT&T, from 1), frame_class, frame_start, frame_end, frame_rows (those of sessions inside
        included) and frame_closed_by, `condition` or `parent`. `calls` sums them up by call.

    Examples
    --------
    >>> made = calls(500, seed=1)
    >>> made
    <calls: 13,867 rows, 500 calls; ts=ts, by=channel>
    >>> made.average_call(), round(made.average_att(), 2), round(made.average_att(last=100), 2)
    (210.67, 223.26, 253.64)
    >>> made.episodes["frame_class"].to_pylist()[:5]
    ['Call', 'ATT', 'FAQ', 'Call', 'ATT']

    References
    ----------
    Chatziantoniou and Anagnostopoulos, NESTREAM: querying nested streams, section 1.1.
    """
    calls = whole("calls", "calls", calls)
    channels = whole("calls", "channels", channels, at_most=2**31 - 1)
    seed = whole("calls", "seed", seed, at_least=0)
    origin = instant("calls", "start", start)
    shares = {
        name: share("calls", name, value) for name, value in (("often", often), ("hang_up", hang_up), ("idle", idle))
    }
    made = Switchboard.planned(seed, calls, channels, origin=origin, **shares)
    return CallData(
        name="calls",
        scheme={},
        ts="ts",
        by=("channel",),
        num_rows=int(made.rows.sum()),
        tables={"rows": made.log(), "episodes": made.sessions(), "calls": made.calls()},
    )


def _seconds(sessions: pa.Table) -> pa.ChunkedArray:
    return pc.seconds_between(sessions["frame_start"], sessions["frame_end"])


def _mean(values: pa.ChunkedArray) -> float | None:
    return pc.mean(values).as_py()  # type: ignore[no-any-return]
