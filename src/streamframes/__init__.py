"""Windows that follow the data: streamframes cuts Spark tables where something happens.

import streamframes as sf

loss = sf.frames(reports, sf.Threshold("drop_pct > 0.3", min_duration="2 minutes"), ts="rpt_time", by="router")
loss.toDF()
"""

from streamframes.api import sink
from streamframes.api.accuracy import accuracy
from streamframes.api.algebra import at, complement, coverage, intersect, overlaps, subtract, union
from streamframes.api.bursts import Bursts, bursts
from streamframes.api.frames import Frames, fill, frames
from streamframes.api.match import Matches, match
from streamframes.api.regions import Regions, density, regions
from streamframes.api.rows import configure, decode, scan, session
from streamframes.api.sessions import Sessions, sessions
from streamframes.api.sql import register, sql
from streamframes.api.watching import reason, watch
from streamframes.core.bursts.learning import Learn
from streamframes.core.jit.compiled import AFTER, BEFORE, GOES_ON
from streamframes.core.schemes import (
    Aggregate,
    Boundary,
    Change,
    Count,
    Delta,
    Every,
    Fold,
    Gap,
    OwnScheme,
    Scheme,
    Threshold,
)
from streamframes.core.sessions.tree import Session
from streamframes.core.theory.checks import BrokenLaw, check_scheme
from streamframes.core.theory.laws import Theory
from streamframes.core.theory.trial import Frame, frames_of
from streamframes.errors import InvalidArgument, MissingExtra, SinkError, StreamFramesError
from streamframes.options import Schedule, Search, Stream
from streamframes.region_options import Rectangles, Reports
from streamframes.version import __version__

__all__ = [
    "AFTER",
    "BEFORE",
    "GOES_ON",
    "Aggregate",
    "Boundary",
    "BrokenLaw",
    "Bursts",
    "Change",
    "Count",
    "Delta",
    "Every",
    "Fold",
    "Frame",
    "Frames",
    "Gap",
    "InvalidArgument",
    "Learn",
    "Matches",
    "MissingExtra",
    "OwnScheme",
    "Rectangles",
    "Regions",
    "Reports",
    "Schedule",
    "Scheme",
    "Search",
    "Session",
    "Sessions",
    "SinkError",
    "Stream",
    "StreamFramesError",
    "Theory",
    "Threshold",
    "__version__",
    "accuracy",
    "at",
    "bursts",
    "check_scheme",
    "complement",
    "configure",
    "coverage",
    "decode",
    "density",
    "fill",
    "frames",
    "frames_of",
    "intersect",
    "match",
    "overlaps",
    "reason",
    "regions",
    "register",
    "scan",
    "session",
    "sessions",
    "sink",
    "sql",
    "subtract",
    "union",
    "watch",
]
