"""Every argument of the Python API has its word in SQL, and there is no other.

Covers: streamframes.core.sqltext.functions,
streamframes.core.sqltext.options,
streamframes.core.sqltext.signature
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import streamframes as sf
from streamframes.api.sql import VERBS
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.options import OPTIONS, SCHEMES
from streamframes.core.sqltext.signature import Signature
from streamframes.spark.sql.options import OPTION_CLASSES

CLASSES = {"frames": sf.Frames, "regions": sf.Regions, "bursts": sf.Bursts, "sessions": sf.Sessions}
CLASSES["matches"] = sf.Matches
# Of Python's arguments, those that a session in SQL has already.
LEFT_OUT = {"scan": {"spark", "filesystem"}, "change": {"states"}}


def python_of(name: str, receiver: str) -> Callable[..., Any]:
    """The verb, or the method of what a verb returns."""
    return VERBS[name] if receiver in ("rows", "files") else getattr(CLASSES[receiver], name)


def check(signature: Signature, called: Callable[..., Any], first: int) -> None:
    parameters = list(inspect.signature(called).parameters.values())[first:]
    kinds = inspect.Parameter
    plain = [each for each in parameters if each.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)]
    names = [each.name for each in plain if each.name not in LEFT_OUT.get(signature.name, ())]
    assert sorted(signature.parameters) == sorted(names)
    assert set(signature.required) == {each.name for each in plain if each.default is kinds.empty}
    in_place = [each.name for each in plain if each.kind is kinds.POSITIONAL_OR_KEYWORD]
    assert list(signature.unnamed) == in_place[: len(signature.unnamed)]
    assert (signature.rest is not None) == any(each.kind is kinds.VAR_POSITIONAL for each in parameters)


@pytest.mark.parametrize(
    ("name", "receiver"), [(name, receiver) for name, forms in FUNCTIONS.items() for receiver in forms]
)
def test_a_function_has_the_arguments_of_its_python_call(name: str, receiver: str) -> None:
    check(FUNCTIONS[name][receiver], python_of(name, receiver), first=1)


@pytest.mark.parametrize("name", [name for name in {**SCHEMES, **OPTIONS} if name != "change"])
def test_an_option_has_the_settings_of_its_class(name: str) -> None:
    signature = {**SCHEMES, **OPTIONS}[name]
    parameters = list(inspect.signature(OPTION_CLASSES[name]).parameters.values())
    assert sorted(signature.parameters) == sorted(each.name for each in parameters)
    assert set(signature.required) >= {each.name for each in parameters if each.default is inspect.Parameter.empty}


def test_every_verb_that_returns_rows_or_plans_is_a_function() -> None:
    planning = {"decode", "check_scheme", "configure", "session", "sql", "frames_of", "reason", "watch", "register"}
    verbs = {name for name in sf.__all__ if inspect.isfunction(getattr(sf, name))} - planning
    assert verbs == set(VERBS)
    assert set(VERBS) <= set(FUNCTIONS)
