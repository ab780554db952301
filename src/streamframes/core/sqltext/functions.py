"""Functions: what may stand in FROM, and the Python call that each is.

A function takes rows, or what another function has planned: `tag(frames(...))` is `frames(...).tag()`.
"""

from __future__ import annotations

from streamframes.core.sqltext.kinds import (
    BOOLEAN,
    COLUMNS,
    DURATION,
    EXPRESSION,
    GROUPS,
    INSTANT,
    NAME,
    NUMBER,
    NUMBERS,
    PYTHON,
    ROWS,
    SEQUENCE,
    TEXT,
    Kind,
    either,
    listed,
    mapped,
    one_or_more,
    paired,
)
from streamframes.core.sqltext.options import (
    LEARN,
    REPORTS,
    SCHEDULE,
    SCHEME,
    SEARCH,
    SHAPE,
    STREAM,
    TREE,
    WINDOW,
)
from streamframes.core.sqltext.signature import BURSTS, FRAMES, MATCHES, REGIONS, ROWS_ONLY, SESSIONS, Signature

_READ = {"lateness": DURATION, "stream": STREAM}
_ORDER = {"ts": COLUMNS, "by": COLUMNS, "prefix": TEXT}
_ALGEBRA = {"by": GROUPS, "prefix": TEXT}
_FILL = {"ts": COLUMNS, "by": GROUPS, "keep_empty": BOOLEAN, "lateness": DURATION}
_EXTENT = {"ts": COLUMNS, "space": COLUMNS, "by": COLUMNS, "min_duration": DURATION, "prefix": TEXT}
_INSTANTS = listed(INSTANT, "(TIMESTAMP'2026-01-05 00:00:00', TIMESTAMP'2026-01-06 00:00:00')")
_MEASURES = mapped(NAME, EXPRESSION, "map(worst, max(drop_pct))")
_THRESHOLDS = either(mapped(DURATION, NUMBER, "map(10, 500, 60, 2000)"), LEARN, ROWS, PYTHON)
_DEFINE = mapped(NAME, EXPRESSION, "map(DOWN, price < PREV(price))")
_SUBSET = mapped(NAME, one_or_more(NAME, "(A, B)"), "map(U, (A, B))")

FUNCTIONS: dict[str, dict[str, Signature]] = {}


def _add(receivers: tuple[str, ...], signature: Signature) -> None:
    for receiver in receivers:
        FUNCTIONS.setdefault(signature.name, {})[receiver] = signature


def _on_rows(
    name: str,
    parameters: dict[str, Kind],
    required: tuple[str, ...],
    unnamed: tuple[str, ...] = (),
    *,
    measures: bool = False,
    into: str | None = None,
    returns: str = ROWS_ONLY,
) -> None:
    _add((ROWS_ONLY,), Signature(name, parameters, unnamed, required, None, measures, into, returns))


_on_rows(
    "frames",
    {"scheme": SCHEME, **_ORDER, "schedule": SCHEDULE, **_READ},
    ("scheme", "ts"),
    ("scheme",),
    measures=True,
    returns=FRAMES,
)
_on_rows(
    "bursts",
    {
        "value": EXPRESSION,
        "windows": either(SEQUENCE, listed(DURATION, "(10, 60)")),
        "thresholds": _THRESHOLDS,
        "agg": TEXT,
        **_ORDER,
        "unit": DURATION,
        "search": SEARCH,
        **_READ,
    },
    ("thresholds", "ts"),
    ("value",),
    returns=BURSTS,
)
_on_rows(
    "sessions",
    {"tree": TREE, "ts": COLUMNS, "measures": _MEASURES, "prefix": TEXT, **_READ},
    ("tree", "ts"),
    ("tree",),
    measures=True,
    into="measures",
    returns=SESSIONS,
)
_on_rows(
    "regions",
    {
        "condition": EXPRESSION,
        **_EXTENT,
        "shape": SHAPE,
        "min_extent": NUMBERS,
        "reports": REPORTS,
        **_READ,
    },
    ("condition", "ts", "space"),
    ("condition",),
    measures=True,
    returns=REGIONS,
)
_on_rows(
    "density",
    {**_EXTENT, "bin": NUMBERS, "unit": DURATION, "above": NUMBER, "min_area": NUMBER, **_READ},
    ("ts", "space", "bin", "unit", "above"),
    measures=True,
    returns=REGIONS,
)
_on_rows(
    "match",
    {
        "pattern": TEXT,
        "ts": COLUMNS,
        "by": COLUMNS,
        "define": _DEFINE,
        "measures": _MEASURES,
        "subset": _SUBSET,
        "rows_per_match": TEXT,
        "after_match": TEXT,
        "within": DURATION,
        "timeouts": BOOLEAN,
        "stream": STREAM,
    },
    ("pattern", "ts"),
    ("pattern",),
    measures=True,
    into="measures",
    returns=MATCHES,
)
_on_rows(
    "accuracy",
    {
        "scheme": SCHEME,
        "windows": listed(either(WINDOW, DURATION), "(INTERVAL 1 MINUTE, INTERVAL 5 MINUTES)"),
        "ts": COLUMNS,
        "by": COLUMNS,
        "value": EXPRESSION,
        "heuristics": one_or_more(TEXT, "('min', 'max')"),
    },
    ("scheme", "windows", "ts"),
    ("scheme",),
)
_on_rows("fill", {"rows": ROWS, **_FILL, "space": COLUMNS, "prefix": TEXT}, ("rows", "ts"), ("rows",), measures=True)
_SIDES = paired(TEXT, "('a_', 'b_')")
_on_rows("overlaps", {"b": ROWS, **_ALGEBRA, "sides": _SIDES, "space": BOOLEAN}, ("b",), ("b",))
for _name in ("intersect", "union", "subtract"):
    _on_rows(_name, {"b": ROWS, **_ALGEBRA}, ("b",), ("b",))
_on_rows("complement", {"within": either(_INSTANTS, ROWS), **_ALGEBRA}, ("within",))
_on_rows("coverage", {"by": COLUMNS, "prefix": TEXT}, ())
_on_rows(
    "at",
    {"points": either(_INSTANTS, INSTANT, ROWS), "ts": NAME, **_ALGEBRA, "keep_outside": BOOLEAN},
    ("points",),
    ("points",),
)

_FOUND = (FRAMES, REGIONS, MATCHES)
_OTHER: dict[str, Kind] = {"other": ROWS, **_FILL, "wait": BOOLEAN}
_add((FRAMES, MATCHES), Signature("fill", _OTHER, ("other",), ("other", "ts"), measures=True))
_add((REGIONS,), Signature("fill", {**_OTHER, "space": COLUMNS}, ("other",), ("other", "ts"), measures=True))
_add(_FOUND, Signature("tag", {"keep_outside": BOOLEAN}))
_add((REGIONS,), Signature("duplicates", {}))
for _receiver in _FOUND:
    _edges = (
        Signature("expand", {"before": DURATION, "after": DURATION}, measures=True, returns=_receiver),
        Signature(
            "move",
            {"start": EXPRESSION, "end": EXPRESSION, "lookback": DURATION},
            measures=True,
            returns=_receiver,
        ),
        Signature("split", {"every": DURATION}, required=("every",), measures=True, returns=_receiver),
    )
    for _each in _edges:
        _add((_receiver,), _each)
_add((BURSTS,), Signature("runs", {}, measures=True, returns=FRAMES))
for _name in ("latest", "any", "learnt"):
    _add((BURSTS,), Signature(_name, {}))
_add((SESSIONS,), Signature("frames", {"name": NAME}, ("name",), ("name",), measures=True, returns=FRAMES))
for _name in ("sessions", "open"):
    _add((SESSIONS,), Signature(_name, {}, rest=NAME))
_add((SESSIONS,), Signature("tag", {"keep_outside": BOOLEAN}, rest=NAME))
for _name in ("measures", "diagnostics"):
    _add((SESSIONS,), Signature(_name, {}))
# A scan of files stands where a table does.
_add(("files",), Signature("scan", {"format": TEXT, "version": NUMBER, "where": EXPRESSION}))
