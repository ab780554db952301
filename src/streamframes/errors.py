"""What the library raises: one base class, so that one `except` catches all of it."""


class StreamFramesError(Exception):
    """Anything that streamframes itself reports."""


class MissingExtra(StreamFramesError, ImportError):
    """A package that is not installed: the message names it, and the command that installs it."""


class InvalidArgument(StreamFramesError, ValueError):
    """An argument that cannot work: the message names it, its value and what would have worked."""


class SinkError(StreamFramesError):
    """A target that cannot be written to, or cannot hold a row: the message names the target, row and reason."""
