"""Arrays: all that the engine works on, as pointers; a compiled function takes them as one.

  P         the tree (`tables`)
  W         the records of open sessions
  T         where records are, by key
  columns   of the events
  X         room to work in (`programs.run` says what is where)
  Q         counters, sizes and where the engine got to (`records`)
  others    the addresses of further arrays: few pointers are handed on faster than many (`pointers.pointer_at`)

Results go to CLOSED (sessions), TOLD (measures), RECEIVED (by a root that spans many places) and BELONGS (events to
sessions). LANES are the sessions in the order of their last events, KEYS two words of an event for each keyed class, TS
its instant. The others serve one step: TOUCHED says in which step a node has changed last, STACK holds the sessions
that an event is in, MATCHES those that it is still to come to, DIRTY the measures that may have changed, RECENT the
sessions that were closed in the instant that they began in, AHEAD hashes of events to come, and LISTS the lists of
children that are being fetched.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import words

(
    LANES, KEYS, TS, TOUCHED, STACK, MATCHES, CLOSED, TOLD, RECEIVED, DIRTY, BELONGS, RECENT, LISTS, AHEAD,
) = range(14)  # fmt: skip


class Arrays(NamedTuple):
    """The arrays of a machine, or pointers to them."""

    P: Any
    W: Any
    T: Any
    columns: Any
    X: Any
    Q: Any
    others: Any


@compiled
def pointed(arrays: Any) -> Any:
    """Pointers to the arrays of a machine."""
    return Arrays(
        words(arrays.P),
        words(arrays.W),
        words(arrays.T),
        words(arrays.columns),
        words(arrays.X),
        words(arrays.Q),
        words(arrays.others),
    )
