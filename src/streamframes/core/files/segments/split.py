"""Split: which stretches of time are read by whom, from the ranges of instants in footers; and for which frames.

row groups   [----]  [---]            in the order of their first instant
                [----]   [----]
cut                     ^             where few rows lie in row groups that reach across

Where groups are many and short, segments would send most of their rows; where frames overlap or need the rows around
them, they cannot be merged at all. A few workers that read everything are faster then than a shuffle of the rows.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from streamframes.core.files.parquet import RowGroup
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.schemes.equal import Equal
from streamframes.core.schemes.gap import GapRule
from streamframes.core.schemes.threshold import Member

# A segment of fewer rows costs more to merge than it saves.
LEAST_ROWS = 1 << 17
# Rows of row groups that overlap wait for each other in memory: more are left to the way through the shuffle.
MOST_WAITING = 1 << 23
# Reading more rows twice costs more than the shuffle of all.
MOST_READ = 1.5
# What more workers read in vain costs more than a shuffle.
MOST_PARTITIONS = 4
# In a segment a group should have more rows than these, or most would be sent; those that end with a run are few.
FEW_ROWS, FEW_IF_CERTAIN = 2048, 256
# What a value of a group takes in a dictionary, or so.
_BYTES_A_VALUE = 8

Chain = tuple[RowGroup, ...]


@dataclass(frozen=True)
class Segment:
    """A stretch of time, `low` up to but without `high` (None: without end), of chains of row groups in order.

    Groups of one chain are in no other. `first` says that no row of these groups lies before the segment.
    """

    number: int
    first: bool
    low: int | None
    high: int | None
    chains: tuple[Chain, ...]

    @property
    def rows(self) -> int:
        """How many rows are read."""
        return sum(group.rows for chain in self.chains for group in chain)


class NoOrder(Exception):
    """Statistics do not give an order that is worth following; the text says why."""


def split_by_time(chains: Sequence[Sequence[RowGroup]], wanted: int) -> list[Segment]:
    """About `wanted` segments of equal size; `NoOrder` where row groups are not in an order of time."""
    ordered = in_order(chains)
    total = sum(map(_rows, ordered))
    size = max(LEAST_ROWS, -(-total // max(1, wanted)))
    found: list[Segment] = []
    for whole in _bundles([chain for chain in ordered if _rows(chain) <= size], size):
        found.append(Segment(len(found), True, None, None, tuple(whole)))
    for chain in ordered:
        if _rows(chain) > size:
            found.extend(_segments_of(chain, size, len(found)))
    if sum(segment.rows for segment in found) > MOST_READ * total:
        raise NoOrder("the row groups of the files overlap in time")
    return found


def in_order(chains: Sequence[Sequence[RowGroup]]) -> list[Chain]:
    """Each chain by the first instants of its row groups; `NoOrder` where these give no order."""
    return [_ordered(chain) for chain in chains if chain]


def _rows(chain: Sequence[RowGroup]) -> int:
    return sum(group.rows for group in chain)


def _ordered(chain: Sequence[RowGroup]) -> Chain:
    """The row groups by their first instant; refuses those that would have to wait for each other in great number."""
    if any(group.low is None or group.high is None for group in chain):
        raise NoOrder("the files have no statistics of the instants")
    ordered = sorted(chain, key=lambda group: (group.low, group.high, group.file, group.number))
    waiting: list[tuple[int, int]] = []
    depth = 0
    for group in ordered:
        while waiting and waiting[0][0] < _low(group):
            depth -= waiting.pop(0)[1]
        bisect.insort(waiting, (_high(group), group.rows))
        depth += group.rows
        if depth > MOST_WAITING and len(waiting) > 1:
            raise NoOrder("the row groups of the files overlap in time")
    return tuple(ordered)


def _low(group: RowGroup) -> int:
    return group.low if group.low is not None else 0


def _high(group: RowGroup) -> int:
    return group.high if group.high is not None else 0


def _bundles(chains: Sequence[Chain], size: int) -> Iterator[list[Chain]]:
    """Whole chains, several at a time: about `size` rows, so that there is no small rest."""
    bundle: list[Chain] = []
    rows = 0
    for chain in chains:
        if bundle and rows + _rows(chain) // 2 > size:
            yield bundle
            bundle, rows = [], 0
        bundle.append(chain)
        rows += _rows(chain)
    if bundle:
        yield bundle


def _segments_of(chain: Chain, size: int, number: int) -> Iterator[Segment]:
    """One chain in segments of about this many rows."""
    edges = [None, *_cuts(chain, size), None]
    for i, (low, high) in enumerate(itertools.pairwise(edges)):
        inside = tuple(
            group for group in chain if (high is None or _low(group) < high) and (low is None or _high(group) >= low)
        )
        yield Segment(number + i, i == 0, low, high, (inside,))


def _cuts(chain: Chain, size: int) -> list[int]:
    """Instants at which row groups begin, near the multiples of `size` rows, where few rows reach across."""
    before, cuts = 0, []
    candidates: list[tuple[int, int]] = []
    for i, group in enumerate(chain):
        if i and _low(group) > _low(chain[i - 1]):
            candidates.append((before, _low(group)))
        before += group.rows
    for wanted in range(size, before - size // 2, size):
        near = [each for each in candidates if abs(each[0] - wanted) <= size // 4] or candidates
        if near:
            cuts.append(min(near, key=lambda each: (_across(chain, each[1]), abs(each[0] - wanted)))[1])
    return sorted(set(cuts))


def _across(chain: Chain, instant: int) -> int:
    return sum(group.rows for group in chain if _low(group) < instant <= _high(group))


def can_be_merged(plan: FrameSpec) -> str:
    """Why frames cannot be found segment by segment; empty where they can."""
    scheme = plan.compiled
    if plan.tags:
        return "tag() returns rows, not frames"
    if plan.schedule is not None:
        return "a schedule makes up reports across the cut"
    if scheme.gaps:
        return "gaps=True needs the rows between frames"
    if scheme.hysteresis is not None:
        return "until= and merge_gap= look ahead"
    if scheme.lanes > 1:
        return "frames overlap"
    if scheme.kernel != "cached" or scheme.remembers:
        return "the scheme is written in Python or remembers more than its open frame"
    return ""


def is_certain(plan: FrameSpec) -> bool:
    """Whether a run that has begun after another is what it is, whatever came before."""
    unlimited = plan.scheme.max_rows is None and plan.scheme.max_duration is None
    return unlimited and isinstance(plan.compiled.rule, Member | Equal | GapRule)


def has_boundary_runs(plan: FrameSpec) -> bool:
    """Whether runs alone say all: measures need rows, and a null that breaks is no row that begins a run."""
    return is_certain(plan) and not plan.measures and plan.scheme.nulls != "break"


def prefers_key_partitions(plan: FrameSpec, selection: Selection, segments: Sequence[Segment]) -> bool:
    """Whether the groups are so many that segments would send most of their rows, as far as footers say."""
    if has_boundary_runs(plan):
        return False
    names = [name for name in selection.values[: len(plan.keys)] if isinstance(name, str)]
    groups = max((selection.dataset.stored_bytes(name) // _BYTES_A_VALUE for name in names), default=0)
    few = FEW_IF_CERTAIN if is_certain(plan) else FEW_ROWS
    return groups * few > max((segment.rows for segment in segments), default=0)
