"""Scripts: what callers do. A call is a row of visits, a visit a row of choices, a choice a few rows of the log.

visits    | ring  | AT&T                                   | news        | bye |
choices   | ring  | in | FAQ     | FAQ   | ACCOUNT | leave | in   | done | bye |
rows      x x x x  x x  x x x x   x x x   x         x       x x x  x      x
FAQ                     |-----------------|                                        two choices, one session
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from streamframes.data.call_centre.steps import MEAN_WAIT, Step
from streamframes.data.chance import Flags, Integers, generator

CLASSES = ("Call", "ATT", "FAQ")
"""Of sessions, from the outermost inwards."""
MOST_VISITS = 8
"""Of a call to AT&T."""
_SELDOM = (0.3, 0.35, 0.2, 0.1, 0.05)
"""How many callers who do not come often visit AT&T so many times."""
_OTHERS, _CHOICES = 0.8, 2.0
"""Mean number of visits of a call to other services, and of choices of a visit to AT&T."""


class Choice(IntEnum):
    """The pieces of a call; the first four are how a visit begins."""

    RING, ATT, SERVICE, BYE, FAQ, ACCOUNT, LOCATION, LEAVE, DONE = range(9)


_FIRST = np.array(
    [Step.RING, Step.ATT, Step.SERVICE, Step.BYE, Step.FAQ, Step.ACCOUNT, Step.LOCATION, Step.LEAVE, Step.DONE]
)
_LEAST = np.array([4, 2, 1, 1, 2, 1, 4, 1, 1])
_MORE = np.array([0, 0, 2.0, 0, 3.0, 0, 0.5, 0, 0])
_AT_ONCE = np.array([1, 1, 1, 1, 1, 1, 2, 1, 1])
"""Rows of each choice: at least, how many times more on average, and how many more each time."""


@dataclass(frozen=True, slots=True)
class Sessions:
    """Planted sessions, by the call and the row that opens them.

    Parameters
    ----------
    kind
        Position in `CLASSES`.
    call
        Which call, counted from 0.
    visit
        Which visit of the call to AT&T, from 1; 0 for the call itself.
    first, last
        The rows that open and close it.
    by_parent
        Whether the caller hung up inside.
    """

    kind: Integers
    call: Integers
    visit: Integers
    first: Integers
    last: Integers
    by_parent: Flags

    def take(self, which: Integers) -> Sessions:
        """Some of them, in another order."""
        return Sessions(*(getattr(self, name)[which] for name in self.__slots__))


@dataclass(frozen=True, slots=True)
class Script:
    """What happens in some calls.

    Parameters
    ----------
    calls
        How many.
    call, step, at
        Of each row: its call from 0, what it says, and the milliseconds since its call rang.
    sessions
        What was planted.

    Examples
    --------
    >>> script = written(0, 0, calls=2, often=0.0, hang_up=0.0)
    >>> [Step(step).name for step in script.step[script.call == 1]][:8]
    ['RING', 'OPEN', 'CALLER', 'SERVER', 'ATT', 'STARTING', 'FAQ', 'CATEGORY_3']
    >>> script.sessions.kind, script.sessions.first, script.sessions.last
    (array([0, 0, 1, 2]), array([ 1, 13, 16, 18]), array([11, 42, 35, 35]))
    """

    calls: int
    call: Integers
    step: Integers
    at: Integers
    sessions: Sessions

    @property
    def edges(self) -> Integers:
        """The first row of each call, and after them the number of all rows."""
        return np.searchsorted(self.call, np.arange(self.calls + 1))


def written(seed: int, block: int, *, calls: int, often: float, hang_up: float) -> Script:
    """The script of a block of calls, which depends on no other block.

    Parameters
    ----------
    seed, block
        The user's seed and the number of the block.
    calls
        How many.
    often, hang_up
        The share of callers who visit AT&T more than four times, and of those who hang up inside their last visit.
    """
    random = generator(seed, "calls script", block)
    call, visited, leaves = _visits(random, calls, often, hang_up)
    visit, choice = _choices(random, visited, leaves)
    length = _LEAST[choice] + _AT_ONCE[choice] * random.poisson(_MORE[choice])
    part, nth = _repeated(length)
    step = _steps(random, choice[part], nth, length[part])
    first = np.cumsum(length) - length
    call_of_row = call[visit][part]
    elapsed = np.cumsum((1000 * MEAN_WAIT[step] * random.standard_exponential(len(step))).astype(np.int64))
    at = elapsed - elapsed[first[choice == Choice.RING]][call_of_row]
    return Script(calls, call_of_row, step, at, _sessions(call[visit], choice, first))


def _visits(random: np.random.Generator, calls: int, often: float, hang_up: float) -> tuple[Integers, Integers, Flags]:
    """Of each visit: its call, how it begins, and whether the caller leaves it before the call ends."""
    comes_often = random.random(calls) < often
    many = random.integers(len(_SELDOM), MOST_VISITS + 1, calls)
    att = np.where(comes_often, many, random.choice(len(_SELDOM), calls, p=_SELDOM))
    count = att + random.poisson(_OTHERS, calls) + 2
    call, nth = _repeated(count)
    kinds = [nth == 0, nth == count[call] - 1, nth <= att[call]]
    kind = np.select(kinds, [Choice.RING, Choice.BYE, Choice.ATT], Choice.SERVICE)
    # Visits to different services come in any order, between the ring and the end.
    place = np.select(kinds[:2], [-1.0, 2.0], random.random(len(call)))
    kind = kind[np.lexsort((place, call))]
    hangs_up = (random.random(calls) < hang_up)[call] & (np.roll(kind, -1) == Choice.BYE)
    return call, kind, ((kind == Choice.ATT) | (kind == Choice.SERVICE)) & ~hangs_up


def _choices(random: np.random.Generator, visited: Integers, leaves: Flags) -> tuple[Integers, Integers]:
    """Of each choice: its visit, and what it is."""
    menus = random.poisson(np.where(visited == Choice.ATT, _CHOICES, 0.0))
    count = 1 + menus + leaves
    visit, nth = _repeated(count)
    menu = random.choice([Choice.FAQ, Choice.ACCOUNT, Choice.LOCATION], len(visit), p=[0.55, 0.2, 0.25])
    out = np.where(visited == Choice.ATT, Choice.LEAVE, Choice.DONE)[visit]
    return visit, np.select([nth == 0, nth <= menus[visit]], [visited[visit], menu], out)


def _steps(random: np.random.Generator, choice: Integers, nth: Integers, length: Integers) -> Integers:
    """What each row of a choice says, by its place in it."""
    step = _FIRST[choice] + np.where(choice <= Choice.ATT, nth, 0)
    later = nth > 0
    asks = later & (choice == Choice.FAQ)
    chooses = asks & ((nth == 1) | (random.random(len(nth)) < 0.25))
    category = random.integers(0, 3, len(nth))
    step[asks] = Step.QUESTION + category[_last(np.arange(len(nth)), chooses)][asks]
    step[chooses] = Step.CATEGORY + category[chooses]
    looks = later & (choice == Choice.LOCATION)
    step[looks] = np.where(nth[looks] % 2, Step.STATE, Step.CENTER)
    step[looks & (nth == length - 1)] = Step.BACK
    step[later & (choice == Choice.SERVICE)] = Step.ITEM
    return step


def _sessions(call: Integers, choice: Integers, first: Integers) -> Sessions:
    """The sessions in a row of choices; each choice has its call and its first row."""
    every = np.arange(len(choice))
    faq = choice == Choice.FAQ
    opens = [np.flatnonzero(which) for which in (choice == Choice.RING, choice == Choice.ATT, faq & ~np.roll(faq, 1))]
    ends = [choice == Choice.BYE, (choice == Choice.BYE) | (choice == Choice.LEAVE), ~faq]
    kind, opening = np.repeat(np.arange(3), [len(each) for each in opens]), np.concatenate(opens)
    closing = np.concatenate([_next(every, end)[each] for each, end in zip(opens, ends, strict=True)])
    entered = np.cumsum(choice == Choice.ATT)
    visit = np.where(kind == 0, 0, (entered - entered[_last(every, choice == Choice.RING)])[opening])
    by_parent = (kind > 0) & (choice[closing] == Choice.BYE)
    # The row that rings comes before the one that opens the call.
    made = Sessions(kind, call[opening], visit, first[opening] + (kind == 0), first[closing], by_parent)
    return made.take(np.argsort(made.first, kind="stable"))


def _repeated(count: Integers) -> tuple[Integers, Integers]:
    """The position of each of so many things, repeated, and the place in the repetition.

    >>> _repeated(np.array([2, 1]))
    (array([0, 0, 1]), array([0, 1, 0]))
    """
    which = np.repeat(np.arange(len(count)), count)
    return which, np.arange(len(which)) - (np.cumsum(count) - count)[which]


def _next(every: Integers, holds: Flags) -> Integers:
    """The first position from each on where a condition holds."""
    return np.minimum.accumulate(np.where(holds, every, len(every))[::-1])[::-1]


def _last(every: Integers, holds: Flags) -> Integers:
    """The last position up to each where a condition holds."""
    return np.maximum.accumulate(np.where(holds, every, 0))
