"""Change frames: the stretches on which a state stays the same.

state | idle idle | run run run | idle |      a frame ends when the state changes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock, Duration
from streamframes.core.batch.groups import fingerprints
from streamframes.core.schemes.base import Compiled, Expression, Input, Scheme
from streamframes.core.schemes.equal import Equal
from streamframes.core.validation import check_expression
from streamframes.errors import InvalidArgument


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Change(Scheme):
    """Maximal runs of rows on which all the given expressions keep their values.

    Parameters
    ----------
    *states
        Expressions of any type. Values are compared null-safe: null is a value of its own and equals null.
        With `nulls="skip"` or `nulls="break"` a null is no value.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Change("mode"), ts=[1, 2, 3], mode=["idle", "idle", "run"])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=3, end=3, rows=1, closed_by='end of data')]
    """

    states: tuple[Expression, ...]

    def __init__(self, *positional: Expression, states: Sequence[Expression] = (), **options: Duration | None) -> None:
        object.__setattr__(self, "states", (*positional, *states))
        defaults = dict.fromkeys(("min_rows", "min_duration", "max_rows", "max_duration", "max_gap"))
        for name, value in {**defaults, "nulls": None, **options}.items():
            if name not in defaults and name != "nulls":
                raise InvalidArgument(f"Change got the unknown option {name}={value!r}")
            object.__setattr__(self, name, value)
        self.__post_init__()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.states:
            raise InvalidArgument("Change() names no state; write Change('state') or Change('state', 'mode')")
        for state in self.states:
            check_expression(state, "states", "state")

    def inputs(self) -> tuple[Input, ...]:
        """The states, of any type."""
        return tuple(Input("states", state, "any") for state in self.states)

    def null_policy(self) -> str:
        """Null is a value unless the scheme says otherwise."""
        return self.nulls or "value"

    def compile(self, clock: Clock) -> Compiled:
        """Runs of rows whose 128-bit fingerprints are equal."""

        def prepare(columns: Sequence[pa.Array]) -> np.ndarray:
            pair = fingerprints(columns, len(columns[0]))
            return np.stack(pair).view(np.int64)

        return Compiled(rule=Equal(), prepare=prepare, width=2)
