"""Own schemes: the logical frame operator, with the user's open, close and update.

for each row    closes(row, frame)?  ->  the frame ends before the row, or with it
                update(row, frame)   ->  the frame's scalars, with the row in it
                opens(row)?          ->  a new frame, if one of `max_open` places is free
"""

from __future__ import annotations

import keyword
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.jit import usercode
from streamframes.core.jit.compiled import AFTER, BEFORE, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, Expression, Input, KernelKind, Scheme
from streamframes.core.schemes.columns import double_matrix
from streamframes.errors import InvalidArgument


class Values(Protocol):
    """A row or a frame as the methods of a scheme see it: its values are attributes."""

    def __getattr__(self, name: str, /) -> float:
        """The value of this name."""


@dataclass(frozen=True, eq=False, repr=False)
class OwnScheme(Scheme):
    """A scheme of your own: subclass it as a frozen dataclass and say when frames open, close and change.

    `columns()` names the numeric expressions of a row; `state` declares the scalars of a frame and their start;
    `opens`, `closes` and `update` decide. Inside of them `self` has the numeric settings, `row` has `ts` (in
    ticks) and the columns, `frame` has `start`, `rows` (before this row) and the declared scalars. They are
    compiled with Numba where that is possible and run as plain Python elsewhere. Tables, streams, measures, tags
    and all common options work with it, and `streamframes.check_scheme` proves that it keeps the laws.

    Examples
    --------
    A climb ends where the value falls more than `slack` below the frame's peak:

    >>> from dataclasses import dataclass
    >>> from streamframes.core.theory.trial import frames_of
    >>> @dataclass(frozen=True, eq=False)
    ... class Climb(OwnScheme):
    ...     value: str
    ...     slack: float
    ...     state = {"peak": float("-inf")}
    ...
    ...     def columns(self):
    ...         return {"v": self.value}
    ...
    ...     def opens(self, row):
    ...         return True
    ...
    ...     def closes(self, row, frame):
    ...         return BEFORE if row.v < frame.peak - self.slack else GOES_ON
    ...
    ...     def update(self, row, frame):
    ...         return (max(frame.peak, row.v),)
    >>> from streamframes.core.jit.compiled import BEFORE, GOES_ON
    >>> frames_of(Climb("altitude", 5), ts=[1, 2, 3, 4], v=[10.0, 30.0, 26.0, 11.0])
    [Frame(start=1, end=3, rows=3, closed_by='condition'), Frame(start=4, end=4, rows=1, closed_by='end of data')]

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, section 5.1.
    """

    state: ClassVar[Mapping[str, float]] = {}
    max_open: ClassVar[int] = 1

    def columns(self) -> Mapping[str, Expression]:
        """Name -> numeric expression, the values of a row that the scheme looks at."""
        return {}

    def opens(self, row: Values) -> bool:
        """Whether this row may open a frame (called only where a place is free)."""
        raise NotImplementedError(f"{type(self).__name__} does not say when a frame opens")

    def closes(self, row: Values, frame: Values) -> int:
        """BEFORE: the frame ended before this row. AFTER: it ends with it. GOES_ON: neither."""
        raise NotImplementedError(f"{type(self).__name__} does not say when a frame closes")

    def update(self, row: Values, frame: Values) -> tuple[float, ...]:
        """The declared scalars after this row has joined, in their order."""
        return ()

    def inputs(self) -> tuple[Input, ...]:
        """One number for each column."""
        for name in (*self.columns(), *self.state):
            if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
                raise InvalidArgument(f"{type(self).__name__} names {name!r}, which is not a plain Python name")
        return tuple(Input(name, expression, "number") for name, expression in self.columns().items())

    def compile(self, clock: Clock) -> Compiled:
        """One lane for each place, and one that notices when the places do not suffice."""
        codes = [usercode.code_of(method) for method in _methods(self)]
        key = f"own {type(self).__qualname__} {list(self.columns())} {dict(self.state)} {codes} {self!r}"
        rule_type, kernel = usercode.built_once(key, lambda: _build(self, key))
        return Compiled(
            rule=rule_type(self.max_open),
            prepare=_doubles,
            width=max(1, len(self.state)),
            state=np.float64,
            lanes=1 if self.max_open == 1 else self.max_open + 1,
            kernel=kernel,
            overflow=""
            if self.max_open == 1
            else f"{type(self).__name__} has more than max_open={self.max_open} "
            "frames open at once; declare a larger max_open",
        )

    def numbers(self) -> dict[str, float]:
        """The numeric settings, which the compiled methods see as `self`."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if isinstance(value, int | float)}


def _doubles(columns: Sequence[pa.Array]) -> np.ndarray:
    # A scheme may look at instants only; its rows are then of no columns but any number.
    return double_matrix(columns) if columns else np.empty((0, 2**40))


class _Methods(NamedTuple):
    """The methods of a scheme as functions; the first argument of each is the scheme, or its numeric settings."""

    opens: Callable[..., bool]
    closes: Callable[..., int]
    update: Callable[..., tuple[float, ...]]


class _Types(NamedTuple):
    """What the methods are called with: the settings as a value, and how rows and frames are made."""

    settings: object
    row: Callable[..., Values]
    frame: Callable[..., Values]


def _methods(scheme: OwnScheme) -> _Methods:
    kind = type(scheme)
    return _Methods(kind.opens, kind.closes, kind.update)


def _build(scheme: OwnScheme, key: str) -> tuple[type, KernelKind]:
    numbers, columns = scheme.numbers(), scheme.columns()
    types = _Types(
        settings=usercode.rule_type(f"settings {key}", *numbers)(**numbers),
        row=usercode.rule_type(f"row {key}", "ts", *columns),
        frame=usercode.rule_type(f"frame {key}", "start", "rows", *scheme.state),
    )
    first = tuple(map(float, scheme.state.values()))

    def probe(opens: Callable[..., bool], closes: Callable[..., int], update: Callable[..., tuple[float, ...]]) -> None:
        row = types.row(0, *(1.0 for _ in columns))
        frame = types.frame(0, 1, *first)
        bool(opens(types.settings, row))
        int(closes(types.settings, row, frame))
        if first:
            usercode.store(np.zeros(len(first)), update(types.settings, row, frame))

    functions = usercode.jitted(_methods(scheme), probe)
    if functions is None:
        plain = _with_scheme(_methods(scheme), scheme)
        return _rule(key, plain, types, first, usercode.PLAIN, len(columns)), "python"
    return _rule(key, _Methods(*functions), types, first, usercode.COMPILED, len(columns)), "fresh"


def _with_scheme(methods: _Methods, scheme: OwnScheme) -> _Methods:
    """The methods as the compiled ones are called, but with the whole scheme as `self`."""
    return _Methods(
        opens=lambda settings, row: methods.opens(scheme, row),
        closes=lambda settings, row, frame: methods.closes(scheme, row, frame),
        update=lambda settings, row, frame: methods.update(scheme, row, frame),
    )


def _rule(
    key: str, methods: _Methods, types: _Types, first: tuple[float, ...], access: usercode.RecordAccess, n_columns: int
) -> type:
    # Numba compiles functions that it finds as plain names.
    opens, closes, update = methods
    settings, row_type, frame_type = types
    as_tuple, store = access
    n_state = len(first)
    rule_type = usercode.rule_type(key, "max_open")

    def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
        row = row_type(t, *as_tuple(x[:, i], n_columns))
        frame = frame_type(start, rows, *as_tuple(s, n_state))
        verdict = closes(settings, row, frame)
        if n_state > 0 and verdict != BEFORE:
            store(s, update(settings, row, frame))
        return int(verdict)

    def begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
        row = row_type(t, *as_tuple(x[:, i], n_columns))
        if not free or not opens(settings, row):
            return NO
        frame = frame_type(t, 0, *first)
        if n_state > 0:
            store(s, update(settings, row, frame))
        return OPENS_AND_CLOSES if closes(settings, row, frame) == AFTER else OPENS

    register(rule_type, judge=judge, begin=begin)
    return rule_type
