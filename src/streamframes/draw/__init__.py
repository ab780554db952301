"""Pictures of frames and bursts: a signal over time with what was found in it, as PNG, SVG or a page of HTML.

Opens no window.
"""

from streamframes.draw.bursts import draw_bursts
from streamframes.draw.picture import draw_frames
from streamframes.draw.saving import save_picture

__all__ = ["draw_bursts", "draw_frames", "save_picture"]
