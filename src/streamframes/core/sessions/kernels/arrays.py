"""Arrays: all that the engine works on, as pointers; a compiled function takes them as one value, `a`.

  tree       classes, nodes and programs (`encoded_tree` writes it)
  records    the open sessions, and the entries of windows (`records`)
  table      where records are, by key
  columns    of the events
  scratch    room to work in: one value, flags, arguments, stacks
  counters   counts, sizes of arrays and where the engine is
  others     the addresses of further arrays: few pointers are handed on faster than many (`pointers.pointer_at`)

The others by their place: LANES are the sessions in the order of their last events, KEYS two words of an event for each
keyed class, TS its instant. CHANGED says in which step a node has changed last, STACK holds the sessions that an event
is in, MATCHES those that it has yet to enter. Results go to CLOSED (sessions), EMITTED (measures), RECEIVED (what a
merged root receives) and MEMBERSHIPS (events and their sessions). TOUCHED are the measures that may have changed in
this step, RECENT the sessions that closed at the instant at which they began, LISTS the lists of children that are
being prefetched, HASHES those of the events to come.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import words

(
    LANES, KEYS, TS, CHANGED, STACK, MATCHES, CLOSED, EMITTED, RECEIVED, TOUCHED, MEMBERSHIPS, RECENT, LISTS, HASHES,
) = range(14)  # fmt: skip
# Records begin at multiples of so many words, the lines of the cache.
LINE = 8
# Where things are in the scratch array: one value; whether a long overflowed; how many events there are; an
# accumulator; the arguments of a function; the stack of a program; the stack of a change that is passed on.
VALUE, LONG_OVERFLOW, N_EVENTS, ACCUMULATOR, ARGUMENTS, PROGRAM, CHANGES = 0, 1, 2, 8, 16, 32, 128
# How many values a program may hold at once.
MOST_VALUES = 64


class RecordHead(NamedTuple):
    """What a record of an open session begins with. `next` and `previous` are its siblings."""

    cls: int
    parent: int
    key: int
    key2: int
    next: int
    previous: int
    start: int
    end: int
    rows: int
    group: int
    id: int
    hash: int


class ResultHead(NamedTuple):
    """What the result of a closed session begins with."""

    cls: int
    id: int
    parent: int
    start: int
    end: int
    rows: int
    closed_by: int
    group: int


class Counters(NamedTuple):
    """Counts, sizes of arrays and where the engine is.

    `fresh` are the sessions opened at this instant, `recent` those closed at the instant at which they began;
    `top` is where the free words of records begin, `entries` the list of free entries of windows.
    """

    open: int
    top: int
    entries: int
    in_table: int
    step: int
    instant: int
    recent: int
    closed: int
    emitted: int
    received: int
    memberships: int
    touched: int
    overflow: int
    wants_closed: int
    wants_emitted: int
    wants_memberships: int
    group: int
    row: int
    size_of_records: int
    size_of_table: int
    size_of_recent: int
    size_of_closed: int
    size_of_emitted: int
    size_of_received: int
    size_of_memberships: int
    size_of_touched: int
    size_of_matches: int
    open_measures: int
    fresh: int


class Arrays(NamedTuple):
    """The arrays of a machine, or pointers to them."""

    tree: np.ndarray
    records: np.ndarray
    table: np.ndarray
    columns: np.ndarray
    scratch: np.ndarray
    counters: np.ndarray
    others: np.ndarray


RECORD = RecordHead(*range(len(RecordHead._fields)))
RESULT = ResultHead(*range(len(ResultHead._fields)))
COUNTER = Counters(*range(len(Counters._fields)))
# Behind the counters, for each class: its list of free records, events with a null key, unmatched closes.
PER_CLASS = len(COUNTER)


@compiled
def pointed(arrays: Any) -> Any:
    """Pointers to the arrays of a machine."""
    return Arrays(
        words(arrays.tree),
        words(arrays.records),
        words(arrays.table),
        words(arrays.columns),
        words(arrays.scratch),
        words(arrays.counters),
        words(arrays.others),
    )
