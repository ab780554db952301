"""From options to a scheme."""

from __future__ import annotations

import pytest

import streamframes as sf
from streamframes.cli.options.common import SchemeOptions
from streamframes.cli.options.schemes import DETAILS, SCHEMES, scheme_of


@pytest.mark.parametrize(
    ("options", "scheme"),
    [
        (
            SchemeOptions(threshold="x > 3", until="x < 1", merge_gap="20", min_rows=2, nulls="skip"),
            sf.Threshold("x > 3", "x < 1", 20, min_rows=2, nulls="skip"),
        ),
        (SchemeOptions(threshold="x > 3", gaps=True), sf.Threshold("x > 3", gaps=True)),
        (SchemeOptions(delta=["density < 0.1"], base="first"), sf.Delta("density", "<", 0.1, "first")),
        (SchemeOptions(delta=["a >= 1", "b >= 2"]), sf.Delta({"a": 1, "b": 2}, ">=")),
        (SchemeOptions(boundary=["x=4.25", "y=0,10,25"]), sf.Boundary({"x": 4.25, "y": [0, 10, 25]})),
        (SchemeOptions(aggregate="sum(volume) >= 25"), sf.Aggregate("sum(volume)", ">=", 25)),
        (SchemeOptions(change=["state", "mode"], max_gap="5"), sf.Change("state", "mode", max_gap=5)),
        (SchemeOptions(gap="30 minutes", max_duration="1 day"), sf.Gap("30 minutes", max_duration="1 day")),
        (SchemeOptions(every="5 minutes", slide="1 minute"), sf.Every("5 minutes", "1 minute")),
        (SchemeOptions(count=100, slide="10", max_rows=50), sf.Count(100, 10, max_rows=50)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_scheme_can_be_asked_for(options, scheme):
    assert scheme_of(options) == scheme


def test_no_scheme_and_two_schemes_are_refused():
    with pytest.raises(sf.InvalidArgument, match=r"exactly one scheme, not none; the schemes are --threshold"):
        scheme_of(SchemeOptions())
    with pytest.raises(sf.InvalidArgument, match=r"exactly one scheme, not --gap and --count"):
        scheme_of(SchemeOptions(gap="5", count=3))


def test_a_detail_of_another_scheme_is_refused():
    with pytest.raises(sf.InvalidArgument, match=r"--until belongs to --threshold, not to --gap"):
        scheme_of(SchemeOptions(gap="5", until="x < 1"))
    with pytest.raises(sf.InvalidArgument, match=r"--slide belongs to --every and --count, not to --change"):
        scheme_of(SchemeOptions(change=["state"], slide="5"))


def test_amounts_with_different_operators_are_refused():
    with pytest.raises(sf.InvalidArgument, match=r"given with < and with >"):
        scheme_of(SchemeOptions(delta=["a < 1", "b > 2"]))


def test_windows_of_rows_slide_by_rows():
    with pytest.raises(sf.InvalidArgument, match=r"--slide '5 minutes' must be a number of rows"):
        scheme_of(SchemeOptions(count=10, slide="5 minutes"))


def test_the_library_checks_what_it_is_given():
    with pytest.raises(sf.InvalidArgument, match=r"min_duration='5 parsecs' has the unknown unit 'parsecs'"):
        scheme_of(SchemeOptions(gap="5", min_duration="5 parsecs"))


def test_every_scheme_and_detail_is_an_option():
    assert {*SCHEMES, *DETAILS} <= set(SchemeOptions.__dataclass_fields__)
