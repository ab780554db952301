"""Own schemes: the logical frame operator, with the user's open, close and update.

for each row    closes(row, frame)?  ->  the frame ends before the row, or with it
                update(row, frame)   ->  the frame's scalars, with the row in it
                opens(row)?          ->  a new frame, if one of `max_open` places is free
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.jit import usercode
from streamframes.core.jit.compiled import AFTER, BEFORE, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, Input, KernelKind, Scheme, number_matrix
from streamframes.errors import InvalidArgument


@dataclass(frozen=True, eq=False, repr=False)
class OwnScheme(Scheme):
    """A scheme of your own: subclass it as a frozen dataclass and say when frames open, close and change.

    `columns()` names the numeric expressions of a row; `state` declares the scalars of a frame and their start;
    `opens`, `closes` and `update` decide. Inside of them `self` has the numeric settings, `row` has `ts` (in
    ticks) and the columns, `frame` has `start`, `rows` (before this row) and the declared scalars. They are
    compiled with Numba where that is possible and run as plain Python elsewhere. Tables, streams, measures, tags
    and all common options work with it, and `streamframes.check_scheme` proves that it obeys the laws.

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

    def columns(self) -> Mapping[str, Any]:
        """Name -> numeric expression, the values of a row that the scheme looks at."""
        return {}

    def opens(self, row: Any) -> bool:
        """Whether this row may open a frame (it is asked only where a place is free)."""
        raise NotImplementedError(f"{type(self).__name__} does not say when a frame opens")

    def closes(self, row: Any, frame: Any) -> int:
        """BEFORE: the frame ended before this row. AFTER: it ends with it. GOES_ON: neither."""
        raise NotImplementedError(f"{type(self).__name__} does not say when a frame closes")

    def update(self, row: Any, frame: Any) -> tuple[float, ...]:
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
        methods: list[Any] = [type(self).opens, type(self).closes, type(self).update]
        codes = [usercode.code_of(method) for method in methods]
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
    return number_matrix(columns).astype(np.float64) if columns else np.empty((0, 2**40))


def _build(scheme: OwnScheme, key: str) -> tuple[type, KernelKind]:
    numbers = scheme.numbers()
    settings = usercode.rule_type(f"settings {key}", *numbers)(**numbers)
    row_type: Any = usercode.rule_type(f"row {key}", "ts", *scheme.columns())
    frame_type: Any = usercode.rule_type(f"frame {key}", "start", "rows", *scheme.state)
    first = tuple(map(float, scheme.state.values()))
    methods: list[Any] = [type(scheme).opens, type(scheme).closes, type(scheme).update]

    def probe(opens: Any, closes: Any, update: Any) -> None:
        row = row_type(0, *(1.0 for _ in scheme.columns()))
        frame = frame_type(0, 1, *first)
        bool(opens(settings, row))
        int(closes(settings, row, frame))
        if first:
            usercode.store(np.zeros(len(first)), update(settings, row, frame))

    types = (settings, row_type, frame_type)
    functions = usercode.jitted(methods, probe)
    if functions is None:
        plain = [_taking_self(method, scheme) for method in methods]
        access: Any = (usercode.tuple_python, usercode.store_python)
        return _rule(key, plain, types, first, access, len(scheme.columns())), "python"
    access = (usercode.to_fixed_tuple, usercode.store)
    return _rule(key, functions, types, first, access, len(scheme.columns())), "fresh"


def _taking_self(method: Any, scheme: OwnScheme) -> Any:
    """The method as the compiled one is called, but with the whole scheme as `self`."""
    return lambda settings, *arguments: method(scheme, *arguments)


def _rule(key: str, functions: Any, types: Any, first: tuple[float, ...], access: Any, n_columns: int) -> type:
    opens, closes, update = functions
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
