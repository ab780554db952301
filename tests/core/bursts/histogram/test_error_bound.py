"""The error bounds of the paper: theorem 3 for a wrong answer, theorem 2 for the number of buckets."""

from __future__ import annotations

import math
from statistics import NormalDist

import pytest

from streamframes.core.bursts.histogram.error_bound import bucket_bound, error_bound


@pytest.mark.parametrize("sigmas", [0.0, 1.0, 3.0])
def test_with_full_tolerance_only_the_error_of_a_stream_that_is_no_fractal_is_left(sigmas):
    beyond = 1 - NormalDist().cdf(sigmas)
    assert error_bound(sigmas, 0.01, tolerance=0.01) == pytest.approx(beyond)
    assert error_bound(sigmas, 0.01, tolerance=1.0) == pytest.approx(beyond)


def test_less_tolerance_makes_a_wrong_answer_more_probable():
    bounds = [error_bound(3.0, 0.1, tolerance) for tolerance in (0.1, 0.05, 0.01, 0.0)]
    assert bounds == sorted(bounds)
    assert bounds[-1] > 0.99


def test_the_number_of_buckets_grows_with_the_logarithm_of_the_sum():
    assert bucket_bound(100, 10, 0.1) == pytest.approx(math.log(1_000) / math.log(1.1))
    assert bucket_bound(1e4, 10, 0.1) - bucket_bound(1e3, 10, 0.1) == pytest.approx(math.log(10) / math.log(1.1))
    assert bucket_bound(0, 10, 0.1) == 0
