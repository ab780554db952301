"""Made-up data with a known truth: seeded, of any size, without an engine.

Each generator returns a `Generated`: rows that are made when they are asked for, and the episodes that were
planted in them.
"""

from collections.abc import Callable

from streamframes.data.building import building
from streamframes.data.centre import CallData, calls
from streamframes.data.generated import Generated
from streamframes.data.links import packets
from streamframes.data.match import MatchData, pitch
from streamframes.data.network import RouterData, routers
from streamframes.data.ocean import tow
from streamframes.data.probes import ProbeData, probes
from streamframes.data.sending import packet_values
from streamframes.data.steps import figure_call
from streamframes.data.traffic import FreewayData, freeway

GENERATORS: dict[str, Callable[..., Generated]] = {
    "building": building,
    "calls": calls,
    "freeway": freeway,
    "packets": packets,
    "pitch": pitch,
    "probes": probes,
    "routers": routers,
    "tow": tow,
}
"""Every generator by its name."""

__all__ = [
    "GENERATORS",
    "CallData",
    "FreewayData",
    "Generated",
    "MatchData",
    "ProbeData",
    "RouterData",
    "building",
    "calls",
    "figure_call",
    "freeway",
    "packet_values",
    "packets",
    "pitch",
    "probes",
    "routers",
    "tow",
]
