"""Generators: made-up data with a known truth, seeded, of any size, without an engine.

Entry point: a generator such as `packets(rows=...)`. It returns a `Generated`: rows that are made when they are needed,
and the episodes that were planted in them. Imported by users, the command line, studies, tests and benchmarks; imports
nothing of this project but its errors.
"""

from collections.abc import Callable

from streamframes.data.building import building
from streamframes.data.call_centre.calls import CallData, calls
from streamframes.data.call_centre.steps import figure_call
from streamframes.data.freeway.probes import ProbeData, probes
from streamframes.data.freeway.traffic import FreewayData, freeway
from streamframes.data.generated import Generated
from streamframes.data.packets.links import packets
from streamframes.data.packets.sending import packet_values
from streamframes.data.pitch.match import MatchData, pitch
from streamframes.data.routers.routers import RouterData, routers
from streamframes.data.tow.ocean import tow

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
