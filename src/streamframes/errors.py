"""What the library raises: one base class, so that one `except` catches all of it."""


class StreamFramesError(Exception):
    """Anything that streamframes itself reports."""


class InvalidArgument(StreamFramesError, ValueError):
    """An argument that cannot work: the message names it, its value and what would have worked."""
