"""What every scheme has: the common options, its inputs, and a plain dict to and from.

A scheme is settings only. `inputs()` names the expressions that the engine evaluates for each row; `compile(clock)`
turns the settings into a rule for the kernel, with a function that prepares its input columns.
"""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from datetime import timedelta
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.frames.hysteresis import Hysteresis
from streamframes.core.frames.kernel import NO_LIMIT, NO_ROWS, Limits
from streamframes.core.validation import check_choice, check_positive_int
from streamframes.errors import InvalidArgument

InputKind = Literal["condition", "number", "any"]
KernelKind = Literal["cached", "fresh", "python"]
Prepare = Callable[[Sequence[pa.Array]], np.ndarray]
# A NamedTuple of numbers whose type is registered with `jit.compiled.register`.
Rule: TypeAlias = "tuple[object, ...]"

SCHEMES: dict[str, type[Scheme]] = {}


class Column(Protocol):
    """A Spark Column."""

    def isNull(self) -> object:
        """Whether it is null."""


# Spark SQL as text, or a Column.
Expression: TypeAlias = str | Column


@dataclass(frozen=True)
class Input:
    """An expression that a scheme needs of each row: what it is called in messages, and what it must be."""

    name: str
    expression: Expression
    kind: InputKind


@dataclass(frozen=True)
class Compiled:
    """A scheme made ready for the kernel.

    `rule` and `prepare` go into the scan; `state` is the number type of the rule's own scalars and `width` how
    many there are; `lanes` is the number of frames that may be open at once; `cell` says how many of the
    own scalars are reported as `frame_cell`; `hysteresis` decides before the scan which rows are members (see
    `frames.hysteresis`); `kernel` says how the rule is run; `overflow` is the error when the last lane is used.

    What a stream must know: `expires` says that time alone can end a frame, `remembers` that the own scalars
    matter while no frame is open, `certain_when_closed` that an open frame is not a frame yet.
    With `gaps` the periods between frames are frames too.
    """

    rule: Rule
    prepare: Prepare
    width: int = 1
    state: type[np.generic] | None = np.int64
    lanes: int = 1
    cell: int = 0
    hysteresis: Hysteresis | None = None
    kernel: KernelKind = "cached"
    overflow: str = ""
    expires: bool = False
    remembers: bool = False
    certain_when_closed: bool = False
    gaps: bool = False


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Scheme:
    """Options of every scheme; `frames()` applies them in this order: cut at gaps and limits, drop the small.

    Parameters
    ----------
    min_rows, min_duration
        Frames with fewer rows, or shorter (`frame_end - frame_start`), are dropped.
    max_rows, max_duration
        A frame that would grow beyond is cut (`limit`) and the next row opens a new one.
    max_gap
        Neighbouring rows further apart never share a frame (`gap`).
    nulls
        What a null or NaN input does: `"skip"` leaves the row out, `"break"` also closes the open frame.
    """

    min_rows: int | None = None
    min_duration: Duration | None = None
    max_rows: int | None = None
    max_duration: Duration | None = None
    max_gap: Duration | None = None
    nulls: str | None = None

    def __init_subclass__(cls) -> None:
        SCHEMES[cls.__name__] = cls

    def __post_init__(self) -> None:
        for name in ("min_rows", "max_rows"):
            check_positive_int(getattr(self, name), name, optional=True)
        for name in ("min_duration", "max_duration", "max_gap"):
            if getattr(self, name) is not None:
                check_duration(getattr(self, name), name)
        if self.nulls is not None:
            check_choice(self.nulls, "nulls", ("skip", "break"))

    def inputs(self) -> tuple[Input, ...]:
        """The expressions that the scheme needs of each row."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its inputs are")

    def compile(self, clock: Clock) -> Compiled:
        """The rule of this scheme for a clock."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it is compiled")

    def null_policy(self) -> str:
        """`"skip"` or `"break"`, or `"value"` for schemes that take a null as a value."""
        return self.nulls or "skip"

    def limits(self, clock: Clock) -> Limits:
        """The common options in ticks and rows."""

        def ticks(name: str, default: np.uint64) -> np.uint64:
            duration = getattr(self, name)
            return default if duration is None else np.uint64(clock.ticks(duration, name))

        return Limits(
            min_rows=np.int64(self.min_rows or 1),
            min_duration=ticks("min_duration", np.uint64(0)),
            max_rows=np.int64(self.max_rows or NO_ROWS),
            max_duration=ticks("max_duration", NO_LIMIT),
            max_gap=ticks("max_gap", NO_LIMIT),
        )

    def to_dict(self) -> dict[str, object]:
        """The settings that differ from their defaults, the scheme's own first, with its name."""
        settings: dict[str, object] = {"scheme": type(self).__name__}
        common = {field.name for field in fields(Scheme)}
        for field in sorted(fields(self), key=lambda field: field.name in common):
            value = getattr(self, field.name)
            default = field.default if field.default is not MISSING else None
            if field.default is MISSING or not _same(value, default):
                settings[field.name] = value
        return settings

    @staticmethod
    def from_dict(settings: Mapping[str, Any]) -> Scheme:
        """The scheme that `to_dict` described."""
        rest = dict(settings)
        name = rest.pop("scheme", None)
        if name not in SCHEMES:
            names = ", ".join(sorted(SCHEMES))
            raise InvalidArgument(f"scheme={name!r} is unknown; the schemes are {names}")
        try:
            return SCHEMES[name](**rest)
        except TypeError as error:
            raise InvalidArgument(f"{name} got unknown settings: {error}") from None

    def detached(self) -> Scheme:
        """The same scheme with Columns as text, so that it can travel; its fingerprint is the same."""
        travels = copy.copy(self)
        for field in fields(self):
            object.__setattr__(travels, field.name, _as_plain(getattr(self, field.name)))
        return travels

    def fingerprint(self) -> int:
        """64 bits that stand for the settings in `frame_id`."""
        return int.from_bytes(hashlib.blake2b(self._canonical().encode(), digest_size=8).digest())

    def _canonical(self) -> str:
        return json.dumps(self.to_dict(), sort_keys=True, default=str)

    def __repr__(self) -> str:
        settings = [(name, value) for name, value in self.to_dict().items() if name != "scheme"]
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in settings)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scheme):
            return NotImplemented
        return type(self) is type(other) and self._canonical() == other._canonical()

    def __hash__(self) -> int:
        return hash(self._canonical())


def _as_plain(value: object) -> object:
    if value is None or isinstance(value, str | int | float | timedelta):
        return value
    if isinstance(value, dict):
        return {name: _as_plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_as_plain(item) for item in value)
    # The type is looked at, because a Column answers to any name.
    detached = getattr(type(value), "detached", None)
    return detached(value) if detached else str(value)


def _same(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))
