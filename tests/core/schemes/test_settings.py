"""Schemes are settings: comparable, printable, to and from a plain dict; bad ones are refused at once.

Covers: streamframes.core.schemes.base, streamframes.core.schemes.folds, streamframes.core.validation
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock

SCHEMES = [
    sf.Threshold("drop > 0.3", until="drop < 0.1", merge_gap="1 minute", gaps=True, min_duration="2 minutes"),
    sf.Delta("v", "<", 0.1, base="first", max_gap=timedelta(minutes=3)),
    sf.Delta({"density": 0.1, "mass": 0.2}, ">="),
    sf.Boundary({"x": 4.25, "y": [0, 10, 25]}),
    sf.Aggregate("sum(volume)", ">=", 25, max_rows=100),
    sf.Change("state", "mode", nulls="skip"),
    sf.Gap("30 minutes"),
    sf.Every("5 minutes", slide="1 minute"),
    sf.Count(100, slide=10),
]


@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: type(scheme).__name__)
def test_a_scheme_survives_the_way_through_a_dict(scheme: Any) -> None:
    again = sf.Scheme.from_dict(scheme.to_dict())
    assert again == scheme
    assert hash(again) == hash(scheme)
    assert again.fingerprint() == scheme.fingerprint()
    assert repr(again) == repr(scheme)


def test_schemes_with_other_settings_differ() -> None:
    assert sf.Gap(5) != sf.Gap(6)
    assert sf.Gap(5).fingerprint() != sf.Gap(5, min_rows=2).fingerprint()
    assert sf.Gap(5) != sf.Count(5)
    assert sf.Delta("v", "<", 1) != sf.Delta("v", "<=", 1)


def test_a_scheme_prints_what_was_set() -> None:
    assert repr(sf.Threshold("a > 1", min_rows=3)) == "Threshold(where='a > 1', min_rows=3)"


def bad(make: Any, message: str) -> Any:
    return pytest.param(make, message, id=message[:40])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        bad(lambda: sf.Gap("5 mintues"), r"gap='5 mintues' has the unknown unit 'mintues'; the units are micro"),
        bad(lambda: sf.Gap("soon"), r"gap='soon' is not a duration; write it like '2 minutes'"),
        bad(lambda: sf.Gap(""), r"gap='' is not a duration"),
        bad(lambda: sf.Gap("1 month"), r"gap='1 month' has no fixed length; use days or weeks"),
        bad(lambda: sf.Gap("0.0000001 seconds"), r"finer than one microsecond"),
        bad(lambda: sf.Gap(None), r"gap=None is not a duration"),
        bad(lambda: sf.Gap(0), r"gap=0 must be greater than zero"),
        bad(lambda: sf.Gap(timedelta(0)), r"must be greater than zero"),
        bad(lambda: sf.Threshold("w", min_rows=0), r"min_rows=0 must be a whole number greater than zero"),
        bad(lambda: sf.Threshold("w", min_rows=2.5), r"min_rows=2.5 must be a whole number"),
        bad(lambda: sf.Threshold("w", max_rows=-1), r"max_rows=-1 must be a whole number greater than zero"),
        bad(lambda: sf.Threshold("w", min_duration="-1 second"), r"min_duration='-1 second' must be greater than zero"),
        bad(lambda: sf.Threshold("w", max_duration="0 s"), r"max_duration='0 s' must be greater than zero"),
        bad(lambda: sf.Threshold("w", max_gap=-2), r"max_gap=-2 must be greater than zero"),
        bad(lambda: sf.Threshold("w", merge_gap=0), r"merge_gap=0 must be greater than zero"),
        bad(lambda: sf.Threshold("w", nulls="keep"), r"nulls='keep' is unknown; it is one of skip, break"),
        bad(lambda: sf.Threshold(" "), r"where=' ' is empty; write a Spark SQL expression like 'drop_pct > 0.3'"),
        bad(lambda: sf.Threshold(3), r"where=3 is not an expression"),
        bad(lambda: sf.Threshold("w", gaps="yes"), r"gaps='yes' must be True or False"),
        bad(lambda: sf.Delta("v", "=", 1), r"op='=' is unknown; it is one of <, <=, >, >="),
        bad(lambda: sf.Delta("v", "<", 0), r"x=0 must be a finite number greater than zero"),
        bad(lambda: sf.Delta("v", "<", -0.5), r"x=-0.5 must be a finite number greater than zero"),
        bad(lambda: sf.Delta("v", "<"), r"x=None must be a finite number greater than zero"),
        bad(lambda: sf.Delta("v", "<", 1, base="last"), r"base='last' is unknown; it is one of range, first, previous"),
        bad(lambda: sf.Delta({"a": 1, "b": 0}, "<"), r"value\['b'\]=0 must be a finite number greater than zero"),
        bad(lambda: sf.Delta({}, "<"), r"names no attribute"),
        bad(lambda: sf.Delta({"a": 1}, "<", 2), r"x=2 cannot be given beside amounts per attribute"),
        bad(lambda: sf.Boundary({"x": 0}), r"grid\['x'\]=0 must be a finite number greater than zero"),
        bad(lambda: sf.Boundary({"x": [1, 1]}), r"grid\['x'\]=\[1, 1\] must be numbers that rise strictly"),
        bad(lambda: sf.Boundary({"x": [2, 1]}), r"rise strictly, like \[0, 10, 25\]"),
        bad(lambda: sf.Boundary({}), r"grid=\{\} names no dimension"),
        bad(lambda: sf.Boundary("x"), r"grid='x' names no dimension"),
        bad(
            lambda: sf.Aggregate("median(v)", ">", 1), r"aggregate='median\(v\)' is not a known aggregate; write one of"
        ),
        bad(lambda: sf.Aggregate("sum(*)", ">", 1), r"only count takes \*"),
        bad(lambda: sf.Aggregate("v", ">", 1), r"aggregate='v' is not a known aggregate"),
        bad(lambda: sf.Aggregate("sum(v)", "!=", 1), r"op='!=' is unknown"),
        bad(lambda: sf.Aggregate("sum(v)", ">", float("nan")), r"x=nan must be a finite number"),
        bad(lambda: sf.Aggregate(sf.Fold("v", 0, len, len), ">", 1), r"start=0 must be a tuple of numbers"),
        bad(lambda: sf.Aggregate(sf.Fold("v", (0,), 1, len), ">", 1), r"add=1 must be a function"),
        bad(sf.Change, r"Change\(\) names no state; write Change\('state'\)"),
        bad(lambda: sf.Change("a", min_row=3), r"Change got the unknown option min_row=3"),
        bad(lambda: sf.Every("0 minutes"), r"size='0 minutes' must be greater than zero"),
        bad(lambda: sf.Every("1 minute", slide=-1), r"slide=-1 must be greater than zero"),
        bad(lambda: sf.Count(0), r"size=0 must be a whole number greater than zero"),
        bad(lambda: sf.Count(3, slide=0), r"slide=0 must be a whole number greater than zero"),
        bad(lambda: sf.Scheme.from_dict({"scheme": "Treshold"}), r"scheme='Treshold' is unknown; the schemes are"),
        bad(lambda: sf.Scheme.from_dict({"scheme": "Gap", "gpa": 3}), r"Gap got unknown settings"),
        bad(
            lambda: sf.frames_of(sf.Threshold("w"), ts=[1]),
            r"Threshold needs where='w', and the columns are none: w is no column",
        ),
        bad(lambda: sf.frames_of(sf.Threshold("w"), ts=[1], w=[True, True]), r"has 2 values but ts has 1"),
        bad(
            lambda: sf.frames_of(sf.Threshold("w"), ts=[1], w=[3.0]),
            r"w=\[3.0\] must be True or False",
        ),
        bad(lambda: sf.frames_of(sf.Delta("v", "<", 1), ts=[1], v=["a"]), r"v=\['a'\] must be numbers"),
        bad(lambda: sf.frames_of(sf.Gap(1), ts=[None]), r"ts=\[None\] must be whole numbers"),
    ],
)
def test_bad_settings_are_refused_with_a_remedy(make: Any, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        make()


@pytest.mark.parametrize(
    ("kind", "duration", "message"),
    [
        ("integer", "2 minutes", r"max_gap='2 minutes' has a unit but ts is an integer; give a plain number"),
        ("integer", timedelta(seconds=1), r"has a unit but ts is an integer"),
        ("integer", 2.5, r"max_gap=2.5 must be a whole number because ts is an integer"),
        ("timestamp", 20, r"max_gap=20 is a plain number but ts is a timestamp; give it a unit, for example '20 sec"),
        ("date", 20, r"max_gap=20 is a plain number but ts is a date"),
        ("date", "36 hours", r"max_gap='36 hours' is no whole number of days but ts is a date"),
    ],
)
def test_durations_of_the_wrong_kind_are_refused(kind: Any, duration: Any, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.Gap(1, max_gap=duration).limits(Clock(kind))


def test_durations_may_be_written_in_many_ways() -> None:
    clock = Clock("timestamp")
    for text in ("90 seconds", "1 minute 30 seconds", "1.5 minutes", "90s", "90000 ms", "INTERVAL 90 SECONDS"):
        assert clock.ticks(text, "max_gap") == 90_000_000
    assert clock.ticks(timedelta(seconds=90), "max_gap") == 90_000_000
    assert Clock("date").ticks("2 weeks", "max_gap") == 14
