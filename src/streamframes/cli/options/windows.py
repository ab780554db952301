"""Windows: the lengths that options ask for, and what each must reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamframes.cli.options.bursts import ThresholdOptions, WindowOptions
from streamframes.cli.options.values import number
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.cli.io.inputs import Source

_WRITTEN = "write them like '4:400:4' or '10,60,300'"
# More than anybody lists on purpose, and few enough to be listed.
_MOST = 10_000_000
_DEFAULT_ROWS, _DEFAULT_SIGMAS = 10_000, 7


@dataclass(frozen=True)
class PerRow:
    """Thresholds that grow with the window, for aggregates that do."""

    each: float
    grows: bool

    def __call__(self, window: int) -> float:
        return self.each * window if self.grows else self.each


def lengths_of(text: str) -> list[int | str]:
    """Read lengths: numbers, durations, and ranges whose end belongs to them, in any mixture.

    >>> lengths_of("4:20:4"), lengths_of("1:3,10"), lengths_of("10 seconds, 5 minutes")
    ([4, 8, 12, 16, 20], [1, 2, 3, 10], ['10 seconds', '5 minutes'])
    """
    found: list[int | str] = []
    for part in (each.strip() for each in text.split(",")):
        if not part:
            raise InvalidArgument(f"--windows {text!r} has an empty place; {_WRITTEN}")
        found += _range(part, text) if ":" in part else [_length(part, text)]
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


def _length(part: str, text: str, option: str = "--windows") -> int | str:
    length = number(part)
    if isinstance(length, float):
        raise InvalidArgument(f"{option} {text!r} has {part!r}; a window is a whole number of rows, or a duration")
    return part if length is None else length


def thresholds_of(options: ThresholdOptions, windows: WindowOptions) -> Any:
    """What `bursts()` takes as thresholds, or None where they are in a file; refuses what contradicts."""
    given = {
        "--threshold": bool(options.threshold),
        "--threshold-per-row": options.threshold_per_row is not None,
        "--thresholds": options.thresholds is not None,
        "--train-rows": options.train_rows is not None or options.sigmas is not None,
    }
    chosen = [name for name, is_given in given.items() if is_given]
    if len(chosen) != 1:
        got = " and ".join(chosen) or "none"
        raise InvalidArgument(f"give thresholds in exactly one way, not {got}: {', '.join(given)}")
    if options.thresholds_format is not None and options.thresholds is None:
        raise InvalidArgument("--thresholds-format belongs to --thresholds FILE")
    if windows.windows is None and chosen[0] in ("--threshold-per-row", "--train-rows"):
        raise InvalidArgument(f"{chosen[0]} needs windows; give them, like --windows 4:400:4")
    ways: dict[str, Callable[[], Any]] = {
        "--threshold": lambda: _pairs(options.threshold),
        "--threshold-per-row": lambda: PerRow(options.threshold_per_row or 0.0, windows.aggregate in ("sum", "count")),
        "--thresholds": lambda: None,
        "--train-rows": lambda: _learn(options),
    }
    return ways[chosen[0]]()


def _pairs(texts: Sequence[str]) -> dict[int | str, float]:
    """Thresholds by window; numbers may come in any order."""
    pairs = [_pair(text) for text in texts]
    if len(dict(pairs)) < len(pairs):
        raise InvalidArgument("--threshold names a window twice; each window may be given once")
    return dict(sorted(pairs, key=lambda pair: pair[0] if isinstance(pair[0], int) else 0))


def _pair(text: str) -> tuple[int | str, float]:
    window, _, threshold = text.partition("=")
    least = number(threshold)
    if not window.strip() or least is None:
        raise InvalidArgument(f"--threshold {text!r} is not a window and a number; write it like '60=9000'")
    return _length(window.strip(), text, "--threshold"), least


def _learn(options: ThresholdOptions) -> Any:
    from streamframes.core.bursts.learning import Learn

    sigmas = _DEFAULT_SIGMAS if options.sigmas is None else options.sigmas
    rows = _DEFAULT_ROWS if options.train_rows is None else options.train_rows
    return Learn(sigmas=int(sigmas) if float(sigmas).is_integer() else sigmas, rows=rows)


def thresholds_file(options: ThresholdOptions) -> Source | None:
    """The file of thresholds, found before Spark is started."""
    from streamframes.cli.io.inputs import source_of

    if options.thresholds is None:
        return None
    return source_of(
        [options.thresholds],
        options.thresholds_format,
        argument="--thresholds",
        option="--thresholds-format",
    )
