"""Options: schemes, and values such as `stream(...)`, that stand as arguments of functions and not in FROM."""

from __future__ import annotations

from collections.abc import Mapping

from streamframes.core.sqltext.kinds import (
    BOOLEAN,
    COLUMNS,
    DURATION,
    EXPRESSION,
    NAME,
    NUMBER,
    NUMBERS,
    PYTHON,
    ROWS,
    TEXT,
    Kind,
    either,
    listed,
    mapped,
    one_or_more,
)
from streamframes.core.sqltext.signature import Signature, option

_EVERY_SCHEME = {
    "min_rows": NUMBER,
    "min_duration": DURATION,
    "max_rows": NUMBER,
    "max_duration": DURATION,
    "max_gap": DURATION,
    "nulls": TEXT,
}


def _scheme(
    name: str, parameters: Mapping[str, Kind], required: tuple[str, ...], rest: Kind | None = None
) -> Signature:
    unnamed = () if rest is not None else tuple(parameters)
    return Signature(name, {**parameters, **_EVERY_SCHEME}, unnamed, required, rest)


_AMOUNTS = either(mapped(EXPRESSION, NUMBER, "map(density, 0.1, mass, 0.2)"), EXPRESSION)
_GRID = mapped(EXPRESSION, NUMBERS, "map(x, 4.25, y, (0, 10, 25))")
_SCHEME_LIST = (
    _scheme(
        "threshold", {"where": EXPRESSION, "until": EXPRESSION, "merge_gap": DURATION, "gaps": BOOLEAN}, ("where",)
    ),
    _scheme("delta", {"value": _AMOUNTS, "op": TEXT, "x": NUMBER, "base": TEXT}, ("value", "op")),
    _scheme("boundary", {"grid": _GRID}, ("grid",)),
    _scheme("aggregate", {"aggregate": EXPRESSION, "op": TEXT, "x": NUMBER}, ("aggregate", "op", "x")),
    _scheme("change", {}, (), rest=EXPRESSION),
    _scheme("gap", {"gap": DURATION}, ("gap",)),
    _scheme("every", {"size": DURATION, "slide": DURATION}, ("size",)),
    _scheme("count", {"size": NUMBER, "slide": NUMBER}, ("size",)),
)
SCHEMES = {each.name: each for each in _SCHEME_LIST}
SCHEME = option(SCHEMES, ("Scheme",))
WINDOW = option({name: SCHEMES[name] for name in ("every", "count")}, ("Every", "Count"))

_SCHEDULE = {"every": DURATION, "offset": DURATION, "jitter": DURATION, "missing": TEXT, "open_on": TEXT}
_STREAM = {
    "lateness": DURATION,
    "punctuation": EXPRESSION,
    "punctuation_all": EXPRESSION,
    "late": TEXT,
    "fragments": BOOLEAN,
    "punctuations": BOOLEAN,
    "control": either(ROWS, PYTHON),
    "early": BOOLEAN,
    "amend_within": DURATION,
}
_REPORTS = {
    "places": either(listed(either(NUMBER, TEXT), "(1.5, 2.5)"), ROWS, PYTHON),
    "bad": EXPRESSION,
    "missing": TEXT,
    "max_missing": NUMBER,
    "open_on": TEXT,
    "min_times": NUMBER,
    "min_places": NUMBER,
    "max_gap": DURATION,
    "max_step": NUMBER,
}
OPTIONS = {
    "schedule": Signature("schedule", _SCHEDULE, ("every",), ("every",)),
    "stream": Signature("stream", _STREAM),
    "search": Signature("search", {"kind": TEXT, "error": NUMBER, "error_side": TEXT}, ("kind",)),
    "learn": Signature("learn", {"sigmas": NUMBER, "rows": NUMBER}, ("sigmas", "rows")),
    "rectangles": Signature("rectangles", {"prefer": TEXT, "method": TEXT}, ("prefer",)),
    "reports": Signature("reports", _REPORTS),
}


def _one(name: str, python: str) -> Kind:
    return option({name: OPTIONS[name]}, (python,))


SCHEDULE = either(_one("schedule", "Schedule"), DURATION)
STREAM = _one("stream", "Stream")
SEARCH = either(TEXT, _one("search", "Search"))
LEARN = _one("learn", "Learn")
SHAPE = either(TEXT, _one("rectangles", "Rectangles"))
REPORTS = _one("reports", "Reports")

_RULES = mapped(NAME, EXPRESSION, "map(caller, first(caller))")
_SESSION: dict[str, Kind] = {
    "name": NAME,
    "key": COLUMNS,
    "matches": EXPRESSION,
    "opens": EXPRESSION,
    "closes": EXPRESSION,
    "timeout": DURATION,
    "attributes": _RULES,
    "on_open": _RULES,
    "on_close": _RULES,
    "source": NAME,
}
OPTIONS["session"] = Signature("session", _SESSION, ("name",), ("name",))
TREE = one_or_more(_one("session", "Session"), "(session(...), session(...))")
_SESSION["parts"] = TREE
