"""Engines: alarms are the same however many are handed over at once.

Covers: streamframes.core.bursts.ragged
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.bursts import engines
from tests.core.bursts.worlds import alarms, cases, plan_of, thresholds_for


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(case=cases(most=40), size=st.integers(1, 7))
def test_alarms_that_are_handed_over_in_small_batches_are_the_same(search, case, size):
    xs, lengths, level, noise, _ = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    plan = plan_of(thresholds, search=search)
    whole = alarms(plan, xs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "ALARMS_AT_ONCE", size)
        assert alarms(plan, xs) == whole
