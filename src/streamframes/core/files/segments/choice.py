"""Choice: which frames can be found segment by segment, and where key-partitioned reads are the shorter way.

Where groups are many and short, segments would send most of their rows; where frames overlap or need the rows around
them, they cannot be merged at all. A few workers that read everything are faster then than a shuffle of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.split import Segment
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.schemes.equal import Equal
from streamframes.core.schemes.gap import GapRule
from streamframes.core.schemes.threshold import Member

# What more workers read in vain costs more than a shuffle.
MOST = 4
# In a segment a group should have more rows than these, or most would be sent; those that end with a run are few.
FEW_ROWS, FEW_IF_CERTAIN = 2048, 256
# What a value of a group takes in a dictionary, or so.
_BYTES_A_VALUE = 8


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
