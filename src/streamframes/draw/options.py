"""Options of pictures: lines at levels, marks of other rows, and what colours mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamframes.errors import InvalidArgument


@dataclass(frozen=True)
class Levels:
    """Values to draw a line at, and what they are, such as a threshold.

    Parameters
    ----------
    values
        The values.
    label
        What the legend calls them.

    Examples
    --------
    >>> Levels([0.3], "threshold")
    Levels(values=[0.3], label='threshold')
    """

    values: Sequence[float] = ()
    label: str = "level"


@dataclass(frozen=True)
class Marks:
    """Instants of other rows, drawn as strokes below the signal.

    Parameters
    ----------
    at
        The instants: an Arrow array or a pandas Series.
    label
        What the legend calls these rows.
    """

    at: object
    label: str = "other rows"


@dataclass(frozen=True)
class RegionColours:
    """What colours mean in a picture of regions.

    Parameters
    ----------
    worst
        Which values are red, "low" or "high".
    levels
        Values to mark beside the colours, such as a threshold.
    label
        The name of the value with its unit; that of its column unless given.
    map_by
        What colours the regions of a map: "start" or "duration".

    Examples
    --------
    >>> RegionColours("high", levels=[0.3])
    RegionColours(worst='high', levels=[0.3], label=None, map_by='start')
    """

    worst: str = "low"
    levels: Sequence[float] = ()
    label: str | None = None
    map_by: str = "start"

    def __post_init__(self) -> None:
        for name, known in (("worst", ("low", "high")), ("map_by", ("start", "duration"))):
            given = getattr(self, name)
            if given not in known:
                raise InvalidArgument(
                    f"a picture got {name}={given!r}; it must be one of {', '.join(map(repr, known))}"
                )


def levels_of(given: Levels | Sequence[float]) -> Levels:
    """Levels, or their values alone."""
    return given if isinstance(given, Levels) else Levels(given)


def colours_of(given: RegionColours | str) -> RegionColours:
    """Colours, or alone which values are red."""
    return RegionColours(given) if isinstance(given, str) else given
