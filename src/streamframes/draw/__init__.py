"""Pictures of frames: a signal over time with its frames, as PNG, SVG or a page of HTML. Opens no window."""

from streamframes.draw.picture import draw_frames
from streamframes.draw.saving import save_picture

__all__ = ["draw_frames", "save_picture"]
