"""Pictures: a signal with its frames or bursts, regions, sessions inside sessions; as PNG, SVG or a page of HTML.

Entry points: a function for each picture, which returns a figure of Matplotlib, and `save_picture`; no window opens.
`options` say what lines, marks and colours are. Imported by users, the command line, studies and benchmarks; imports
nothing of this project but its errors and `extras`.
"""

from streamframes.extras import need

need("plot")

from streamframes.draw.bursts import draw_bursts
from streamframes.draw.frames import draw_frames
from streamframes.draw.options import Levels, Marks, RegionColours
from streamframes.draw.regions import draw_regions
from streamframes.draw.saving import save_picture
from streamframes.draw.session_timeline import timeline
from streamframes.draw.session_tree import tree

__all__ = [
    "Levels",
    "Marks",
    "RegionColours",
    "draw_bursts",
    "draw_frames",
    "draw_regions",
    "save_picture",
    "timeline",
    "tree",
]
