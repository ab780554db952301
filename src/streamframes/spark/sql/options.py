"""Options: the Python values that `threshold(...)`, `stream(...)` and the like are in SQL."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from streamframes.core.bursts.learning import Learn
from streamframes.core.schemes import Aggregate, Boundary, Change, Count, Delta, Every, Gap, Threshold
from streamframes.core.sessions.tree import Session
from streamframes.options import Schedule, Search, Stream
from streamframes.region_options import Rectangles, Reports

OPTION_CLASSES: Mapping[str, Callable[..., object]] = {
    "threshold": Threshold,
    "delta": Delta,
    "boundary": Boundary,
    "aggregate": Aggregate,
    "change": Change,
    "gap": Gap,
    "every": Every,
    "count": Count,
    "schedule": Schedule,
    "stream": Stream,
    "search": Search,
    "learn": Learn,
    "rectangles": Rectangles,
    "reports": Reports,
    "session": Session,
}
