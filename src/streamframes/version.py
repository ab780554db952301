"""The version, also where the package is an archive on the path and not installed."""

__version__ = "0.1.0"
