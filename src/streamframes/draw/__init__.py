"""Pictures: a signal with its frames or bursts, regions, sessions inside sessions; as PNG, SVG or a page of HTML.

Opens no window.
"""

from streamframes.draw.bursts import draw_bursts
from streamframes.draw.frames import draw_frames
from streamframes.draw.regions import draw_regions
from streamframes.draw.saving import save_picture
from streamframes.draw.session_timeline import timeline
from streamframes.draw.session_tree import tree

__all__ = ["draw_bursts", "draw_frames", "draw_regions", "save_picture", "timeline", "tree"]
