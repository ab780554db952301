"""Options of `regions()`: the shape of what is looked for, and what is known of the reports.

shape="rectangle"          shape=Rectangles(prefer="largest")
"""

from __future__ import annotations

from dataclasses import dataclass

from streamframes.arguments import Condition
from streamframes.core.batch.clock import Duration
from streamframes.core.frames.schedule import MISSING, OPEN_ON
from streamframes.core.regions.non_overlapping import PREFERENCES
from streamframes.core.regions.plan import METHODS
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument


@dataclass(frozen=True)
class Rectangles:
    """The shape of regions that are rectangles, or boxes over two dimensions of space.

    Parameters
    ----------
    prefer
        `"largest"`, `"longest"` or `"widest"`: of rectangles that overlap, directly or through others, the best, then
        the best of those that do not overlap it, and so on. Without, all maximal rectangles, which may overlap.
    method
        `"durations"` (method I: all places report at the same times) or `"spans"` (method II: places and times need
        not form a grid). They find the same on a grid; chosen by what is known of the reports unless given.

    Examples
    --------
    >>> Rectangles(prefer="largest")
    Rectangles(prefer='largest', method=None)
    """

    prefer: str | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        if self.prefer is not None:
            check_choice(self.prefer, "prefer", PREFERENCES)
        if self.method is not None:
            check_choice(self.method, "method", METHODS)


@dataclass(frozen=True)
class Reports:
    """What is known of the reports of places, and which of them belong together.

    Parameters
    ----------
    places
        The places that are there, a list or a table (with the group columns, or for all groups): each of them is
        expected whenever anybody of its group reports. Without, a place is known from its first report on.
    bad
        A condition: a report that is as good as missing, like `"status != 2"`.
    missing
        What a missing report does: `"ends"` the region there (the default), `"holds"`: the region goes on over it,
        `"true"` or `"false"`: it is imputed. Giving it, or `places`, says that all places report at the same times;
        otherwise what is not reported is not missing, as with probe vehicles.
    max_missing
        How many reports of a place in a row may be held or imputed.
    open_on
        `"real"`: an imputed report only continues what a real one began; `"any"`.
    min_times, min_places
        How many reports each place of a region has at least, and how many places a region has.
    max_gap, max_step
        Reports of a place further apart than this, and places further apart than this, are no neighbours.

    Examples
    --------
    >>> Reports(missing="holds", max_missing=2).open_on
    'real'
    """

    places: object = None
    bad: Condition | None = None
    missing: str | None = None
    max_missing: int | None = None
    open_on: str = "real"
    min_times: int | None = None
    min_places: int | None = None
    max_gap: Duration | None = None
    max_step: float | None = None

    def __post_init__(self) -> None:
        if self.missing is not None:
            check_choice(self.missing, "missing", MISSING)
        check_choice(self.open_on, "open_on", OPEN_ON)


def reports_of(reports: Reports | None) -> Reports:
    """What is known of reports; without options, nothing."""
    if reports is None or isinstance(reports, Reports):
        return reports or Reports()
    raise InvalidArgument(f"regions() got reports={reports!r}; give sf.Reports(missing='holds', ...)")
