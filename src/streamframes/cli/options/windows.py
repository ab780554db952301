"""Windows: the lengths that options ask for, in rows or as durations, or around the median frame."""

from __future__ import annotations

from dataclasses import dataclass

from streamframes.cli.options.values import number
from streamframes.core.batch.clock import MICROSECONDS, microseconds
from streamframes.core.schemes import Count, Every
from streamframes.errors import InvalidArgument

RUNGS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
ROWS, SECONDS = "rows", "seconds"
_WRITTEN = "write them like '4:400:4' or '10,60,300'"
# More than anybody lists on purpose, and few enough to be listed.
_MOST = 10_000_000
_MOST_COMPARED = 100
_FINE = 10


def lengths_of(text: str) -> list[int | str]:
    """Read lengths: numbers, durations, and ranges whose end belongs to them, in any mixture.

    >>> lengths_of("4:20:4"), lengths_of("1:3,10"), lengths_of("10 seconds, 5 minutes")
    ([4, 8, 12, 16, 20], [1, 2, 3, 10], ['10 seconds', '5 minutes'])
    """
    found: list[int | str] = []
    for part in (each.strip() for each in text.split(",")):
        if not part:
            raise InvalidArgument(f"--windows {text!r} has an empty place; {_WRITTEN}")
        found += _range(part, text) if ":" in part else [window_length(part, text)]
    return found


def _range(part: str, text: str) -> list[int | str]:
    edges = [each for each in map(number, part.split(":")) if isinstance(each, int)]
    if len(edges) != part.count(":") + 1 or len(edges) > 3:
        raise InvalidArgument(
            f"--windows {text!r} has {part!r}, which is not start:stop:step of whole numbers; {_WRITTEN}"
        )
    start, stop, step = edges if len(edges) == 3 else (*edges, 1)
    if start < 1 or stop < start or step < 1:
        raise InvalidArgument(f"--windows {text!r} has {part!r}, which holds no window; {_WRITTEN}")
    if (stop - start) // step >= _MOST:
        raise InvalidArgument(f"--windows {text!r} has {part!r}, more than {_MOST:,} windows; use a larger step")
    return list(range(start, stop + 1, step))


def window_length(part: str, text: str, option: str = "--windows") -> int | str:
    """One length: a whole number of rows, or a duration."""
    length = number(part)
    if isinstance(length, float):
        raise InvalidArgument(f"{option} {text!r} has {part!r}; a window is a whole number of rows, or a duration")
    return part if length is None else length


@dataclass(frozen=True)
class Length:
    """A length of windows, in rows or in seconds; `text` is how it is written."""

    size: float
    unit: str
    text: str

    @property
    def window(self) -> Count | Every:
        """The windows of this length."""
        return Count(int(self.size)) if self.unit == ROWS else Every(self.text)


def given_lengths(text: str) -> list[Length]:
    """Read lengths: plain numbers are rows, all else is time.

    >>> [(each.size, each.unit) for each in given_lengths("20, 2 minutes")]
    [(20, 'rows'), (120.0, 'seconds')]
    """
    given = lengths_of(text)
    if len(given) > _MOST_COMPARED:
        raise InvalidArgument(f"--windows {text!r} are {len(given):,} lengths; give {_MOST_COMPARED} at the most")
    found = [_length(each) for each in given]
    if len({(each.size, each.unit) for each in found}) < len(found):
        raise InvalidArgument(f"--windows {text!r} names a length twice; each may be given once")
    return found


def ladder(median: float, unit: str) -> list[Length]:
    """Lengths around a median, each twice the one before, with no more than two digits that matter.

    >>> [each.text for each in ladder(370, "seconds")]
    ['46 seconds', '92 seconds', '180 seconds', '370 seconds', '740 seconds', '1500 seconds']
    >>> [each.text for each in ladder(0.5, "seconds")][:2], [each.text for each in ladder(3, "rows")]
    (['62 milliseconds', '120 milliseconds'], ['2 rows', '3 rows', '6 rows', '12 rows'])
    """
    if unit == ROWS:
        # A window of one row would be the row itself.
        sizes = [max(2, _rounded(median * rung)) for rung in RUNGS]
        return [_length(size) for size in dict.fromkeys(sizes)]
    is_fine = median * RUNGS[0] < _FINE
    scale, name = (1_000, "milliseconds") if is_fine else (1, "seconds")
    sizes = [max(1, _rounded(median * scale * rung)) for rung in RUNGS]
    return [_length(f"{size} {name}") for size in dict.fromkeys(sizes)]


def _length(given: int | str) -> Length:
    if isinstance(given, int):
        Count(given)
        return Length(given, ROWS, f"{given} rows")
    Every(given)
    return Length(microseconds(given, "--windows") / MICROSECONDS["second"], SECONDS, given)


def _rounded(size: float) -> int:
    return int(float(f"{size:.2g}")) if size >= _FINE else round(size)
