"""Compiled functions: Numba with a cache that can be trusted, and rules that plug into one kernel.

A *rule* is a NamedTuple of numbers with two functions, `judge` and `begin`. The kernel of frames calls them by
the type of its first argument, so one compiled loop serves every scheme and still inlines its condition.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import numba
from numba import types
from numba.core.ccallback import CFunc
from numba.core.sigutils import normalize_signature
from numba.extending import overload

from streamframes.core.jit.cache import keep

types_of: Any = normalize_signature
Function = TypeVar("Function", bound=Callable[..., object])


def compiled(function: Function) -> Function:
    """`numba.njit`, cached on disk so that each worker loads instead of compiling."""
    dispatcher = called_with_plain_types(numba.njit(nogil=True)(function))
    keep(dispatcher, function)
    return cast(Function, dispatcher)


def called_with_plain_types(dispatcher: Any) -> Any:
    """A function of Numba that is not compiled for literals where compiled code calls it.

    While types are inferred, a variable that begins as 0 is at first the literal 0, and then an integer: what is called
    with it, and all that is called there, would be compiled for both. Large kernels took up to a third longer.
    """
    of_types = dispatcher.get_call_template
    plain: Callable[[Any], Any] = types.unliteral

    def of_plain_types(args: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return of_types([plain(each) for each in args], {name: plain(each) for name, each in named.items()})

    dispatcher.get_call_template = of_plain_types
    return dispatcher


def cached_pointer(signature: str, function: Callable[..., object]) -> CFunc:
    """`numba.cfunc`, cached like `compiled`: a function that compiled code takes as an argument."""
    pointer = CFunc(function, types_of(signature), locals={}, options={})
    keep(pointer, function)
    pointer.compile()
    return pointer


GOES_ON, BEFORE, AFTER = 0, 1, 2
NO, OPENS, OPENS_AND_CLOSES = 0, 1, 2

_RULES: dict[type, tuple[Callable[..., int], Callable[..., int]]] = {}


def register(rule: type, *, judge: Callable[..., int], begin: Callable[..., int]) -> None:
    """Plug a rule's two functions into the kernel.

    judge(rule, x, i, t, s, start, rows)         -> GOES_ON, BEFORE (the frame ended before row i), AFTER (with it)
    begin(rule, x, i, t, s, lane, free, judged)  -> NO, OPENS or OPENS_AND_CLOSES

    `s` is the frame's own scalar state, which both may change; `lane` numbers the frames that a group may have
    open at once, `free` says that no other lane has opened a frame at this row, `judged` that `judge` has
    already seen the row (it ended a frame).
    """
    _RULES[rule] = (judge, begin)


def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    """What row i does to the open frame; stands in for the rule's own function outside of Numba."""
    return _RULES[type(rule)][0](rule, x, i, t, s, start, rows)


def begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    """Whether row i opens a frame; stands in for the rule's own function outside of Numba."""
    return _RULES[type(rule)][1](rule, x, i, t, s, lane, free, judged)


def _is_rule(rule: object) -> bool:
    return isinstance(rule, types.BaseNamedTuple) and getattr(rule, "instance_class", None) in _RULES


@overload(judge, strict=False)
def _judge_of(rule: Any, x: Any, i: Any, t: Any, s: Any, start: Any, rows: Any) -> Any:
    return _RULES[rule.instance_class][0] if _is_rule(rule) else None


@overload(begin, strict=False)
def _begin_of(rule: Any, x: Any, i: Any, t: Any, s: Any, lane: Any, free: Any, judged: Any) -> Any:
    return _RULES[rule.instance_class][1] if _is_rule(rule) else None
