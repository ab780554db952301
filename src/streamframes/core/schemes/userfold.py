"""The rule of an aggregate that the user wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit import usercode
from streamframes.core.jit.compiled import AFTER, BEFORE, GOES_ON, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, KernelKind, exceeds, number_matrix
from streamframes.core.schemes.folds import Fold


def compile_fold(fold: Fold, bound: float, grows: bool) -> Compiled:
    """Runs whose fold is compared with a bound; the state of the fold is the state of the frame."""
    key = f"fold {fold}"
    rule_type, kernel = usercode.built_once(key, lambda: _build(fold, key))
    return Compiled(
        rule=rule_type(bound, grows),
        prepare=lambda columns: number_matrix(columns).astype(np.float64),
        width=len(fold.start),
        state=np.float64,
        kernel=kernel,
        certain_when_closed=not grows,
    )


def _build(fold: Fold, key: str) -> tuple[type, KernelKind]:
    first = tuple(map(float, fold.start))

    def probe(add: Any, result: Any) -> None:
        state = add(first, 1.0)
        usercode.store(np.zeros(len(first)), state)
        float(result(tuple(map(float, state))))

    functions = usercode.jitted([fold.add, fold.result], probe)
    if functions is None:
        return _rule(key, fold.add, fold.result, first, usercode.tuple_python, usercode.store_python), "python"
    add, result = functions
    return _rule(key, add, result, first, usercode.to_fixed_tuple, usercode.store), "fresh"


def _rule(key: str, add: Any, result: Any, first: tuple[float, ...], as_tuple: Any, store: Any) -> type:
    size = len(first)
    rule_type = usercode.rule_type(key, "bound", "grows")

    def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
        store(s, add(as_tuple(s, size), x[0, i]))
        if not exceeds(result(as_tuple(s, size)), rule.bound, rule.grows):
            return GOES_ON
        return BEFORE if rule.grows else AFTER

    def begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
        store(s, add(first, x[0, i]))
        if not exceeds(result(as_tuple(s, size)), rule.bound, rule.grows):
            return OPENS
        return NO if rule.grows else OPENS_AND_CLOSES

    register(rule_type, judge=judge, begin=begin)
    return rule_type
