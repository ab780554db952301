"""The plans that tables and streams carry rows to, and what each is at work."""

from __future__ import annotations

from streamframes.core.bursts.operator import Burster
from streamframes.core.bursts.plan import BurstPlan
from streamframes.core.frames.operator import Framer
from streamframes.core.frames.plan import FramePlan
from streamframes.core.regions.operator import Regioner
from streamframes.core.regions.plan import RegionPlan
from streamframes.core.sessions.operator import Sessioner
from streamframes.core.sessions.plan import SessionPlan

Plan = FramePlan | BurstPlan | SessionPlan | RegionPlan
AtWork = Framer | Burster | Sessioner | Regioner
Counting = Sessioner | Regioner


def figures_of(plan: Plan) -> tuple[str, ...]:
    """The names of what a plan counts at work, beside what every stream counts."""
    if isinstance(plan, SessionPlan):
        return Sessioner.FIGURES
    return Regioner.FIGURES if isinstance(plan, RegionPlan) else ()
