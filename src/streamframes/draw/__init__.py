"""Pictures: a signal with its frames or bursts, regions, sessions inside sessions; as PNG, SVG or a page of HTML.

Opens no window.
"""

from streamframes.draw.bars import timeline
from streamframes.draw.boxes import tree
from streamframes.draw.bursts import draw_bursts
from streamframes.draw.contour import draw_regions
from streamframes.draw.picture import draw_frames
from streamframes.draw.saving import save_picture

__all__ = ["draw_bursts", "draw_frames", "draw_regions", "save_picture", "timeline", "tree"]
