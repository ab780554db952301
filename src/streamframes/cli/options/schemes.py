"""Schemes: the one that the options ask for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from streamframes.cli.options.common import SchemeOptions
from streamframes.cli.options.values import comparison, duration, grid_lines, number
from streamframes.core.schemes import (
    Aggregate,
    Boundary,
    Change,
    Count,
    Delta,
    Every,
    Gap,
    Scheme,
    Threshold,
)
from streamframes.errors import InvalidArgument

SCHEMES = ("threshold", "delta", "boundary", "aggregate", "change", "gap", "every", "count")
DETAILS = {
    "until": ("threshold",),
    "merge_gap": ("threshold",),
    "gaps": ("threshold",),
    "base": ("delta",),
    "slide": ("every", "count"),
}
_COMMON = ("min_rows", "min_duration", "max_rows", "max_duration", "max_gap", "nulls")
_DURATIONS = ("min_duration", "max_duration", "max_gap")


def scheme_of(options: SchemeOptions) -> Scheme:
    """Build the scheme, or say which option does not fit."""
    kind = _kind(options)
    wanted: Any = getattr(options, kind)
    common: dict[str, Any] = {name: getattr(options, name) for name in _COMMON}
    common |= {name: duration(common[name]) for name in _DURATIONS}
    if kind == "threshold":
        return Threshold(wanted, options.until, duration(options.merge_gap), options.gaps, **common)
    if kind == "delta":
        return _delta(wanted, options.base or "range", common)
    if kind == "boundary":
        return Boundary(dict(map(grid_lines, wanted)), **common)
    if kind == "aggregate":
        asked = comparison(wanted, "--aggregate", "sum(volume) >= 25")
        return Aggregate(asked.left, asked.op, asked.x, **common)
    if kind == "change":
        return Change(*wanted, **common)
    if kind == "gap":
        return Gap(duration(wanted), **common)
    if kind == "every":
        return Every(duration(wanted), duration(options.slide), **common)
    return Count(wanted, _whole(options.slide), **common)


def _delta(texts: list[str], base: str, common: Mapping[str, Any]) -> Delta:
    asked = [comparison(text, "--delta", "density < 0.1") for text in texts]
    op = asked[0].op
    if len(asked) == 1:
        return Delta(asked[0].left, op, asked[0].x, base, **common)
    other = [each.op for each in asked if each.op != op]
    if other:
        raise InvalidArgument(f"--delta is given with {op} and with {other[0]}; use one operator for all")
    return Delta({each.left: each.x for each in asked}, op, None, base, **common)


def _kind(options: SchemeOptions) -> str:
    given = [name for name in SCHEMES if getattr(options, name) not in (None, [])]
    if len(given) != 1:
        got = " and ".join(map(_flag, given)) or "none"
        known = ", ".join(map(_flag, SCHEMES))
        raise InvalidArgument(f"give exactly one scheme, not {got}; the schemes are {known}")
    for name, kinds in DETAILS.items():
        if getattr(options, name) not in (None, False) and given[0] not in kinds:
            belongs = " and ".join(map(_flag, kinds))
            raise InvalidArgument(f"{_flag(name)} belongs to {belongs}, not to {_flag(given[0])}")
    return given[0]


def _whole(slide: str | None) -> int | None:
    rows = None if slide is None else number(slide)
    if slide is not None and not isinstance(rows, int):
        raise InvalidArgument(f"--slide {slide!r} must be a number of rows, as --count is")
    return rows if isinstance(rows, int) else None


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")
