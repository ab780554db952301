"""How thorough the laws are: `make test` tries some examples of each, `make test-long` ten times as many."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

QUICK, LONG = "ci", "long"
TIMES_AS_MANY = 10

# The same examples every time, and no deadline: the first call compiles.
_quick = settings.get_profile(QUICK)
settings.register_profile(LONG, _quick, max_examples=TIMES_AS_MANY * _quick.max_examples)


def examples(number: int, *suppressed: HealthCheck) -> settings:
    """So many examples of a law in `make test`, and as many more in `make test-long` as of any other."""
    is_long = settings.get_current_profile_name() == LONG
    times = TIMES_AS_MANY if is_long else 1
    return settings(max_examples=times * number, deadline=None, suppress_health_check=suppressed)
