"""Aggregate calls as text: one function of one argument, and what is refused."""

from __future__ import annotations

import pytest

from streamframes.core.sparksql.aggregate_call import call, simple_call
from streamframes.errors import InvalidArgument


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sum(v)", ("sum", "v")),
        ("COUNT(*)", ("count", "*")),
        ("stddev_samp(v)", ("stddev", "v")),
        ("max(greatest(a, b))", ("max", "greatest(a, b)")),
        ("sum(distinct v)", None),
        ("sum(a) + 1", None),
        ("median(v)", None),
        ("sum(", None),
    ],
)
def test_a_simple_call_is_one_function_of_one_argument(text: str, expected: tuple[str, str] | None) -> None:
    assert simple_call(text) == expected


def test_a_call_must_be_one_of_the_known_functions() -> None:
    assert call("avg(v)", "value", ("avg", "sum")) == ("avg", "v")
    with pytest.raises(InvalidArgument, match=r"value='max\(v\)' is not a known aggregate; write one of avg\(...\)"):
        call("max(v)", "value", ("avg",))
    with pytest.raises(InvalidArgument, match=r"value=3 is not text"):
        call(3, "value", ("avg",))
