"""Thresholds: what windows must reach, as options or a file say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, Union, cast

from streamframes.cli.options.bursts import ThresholdOptions, WindowOptions
from streamframes.cli.options.values import number
from streamframes.cli.options.windows import window_length
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.cli.io.inputs import Source
    from streamframes.core.bursts.learning import Learn

Thresholds: TypeAlias = Union[Mapping[int, float], Mapping[str, float], Callable[[int], float], "Learn"]

_DEFAULT_ROWS, _DEFAULT_SIGMAS = 10_000, 7


@dataclass(frozen=True)
class PerRow:
    """Thresholds that grow with the window, for aggregates that do."""

    each: float
    grows: bool

    def __call__(self, window: int) -> float:
        return self.each * window if self.grows else self.each


def thresholds_of(options: ThresholdOptions, windows: WindowOptions) -> Thresholds:
    """What `bursts()` takes as thresholds, none where they are in a file; refuses what contradicts."""
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
    makers: dict[str, Callable[[], Thresholds]] = {
        "--threshold": lambda: _pairs(options.threshold),
        "--threshold-per-row": lambda: PerRow(options.threshold_per_row or 0.0, windows.aggregate in ("sum", "count")),
        "--thresholds": dict,
        "--train-rows": lambda: _learn(options),
    }
    return makers[chosen[0]]()


def _pairs(texts: Sequence[str]) -> Mapping[int, float]:
    """Thresholds by window, a number of rows or a duration; numbers may come in any order."""
    pairs = [_pair(text) for text in texts]
    if len(dict(pairs)) < len(pairs):
        raise InvalidArgument("--threshold names a window twice; each window may be given once")
    in_order = sorted(pairs, key=lambda pair: pair[0] if isinstance(pair[0], int) else 0)
    return cast(Mapping[int, float], dict(in_order))


def _pair(text: str) -> tuple[int | str, float]:
    window, _, threshold = text.partition("=")
    least = number(threshold)
    if not window.strip() or least is None:
        raise InvalidArgument(f"--threshold {text!r} is not a window and a number; write it like '60=9000'")
    return window_length(window.strip(), text, "--threshold"), least


def _learn(options: ThresholdOptions) -> Learn:
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
