"""How thorough laws are: `make test` tries half of the examples that are asked for, `make test-long` ten times all."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

QUICK, LONG = "ci", "long"
TIMES_AS_MANY = {QUICK: 0.5, LONG: 10}

# The same examples every time, and no deadline: the first call compiles.
_asked_for = settings.get_profile(QUICK)
for _name, _times in TIMES_AS_MANY.items():
    settings.register_profile(_name, _asked_for, max_examples=int(_times * _asked_for.max_examples))


def examples(number: int, *suppressed: HealthCheck) -> settings:
    """So many examples of a law, or as many times that as of any other."""
    times = TIMES_AS_MANY.get(settings.get_current_profile_name(), 1)
    return settings(max_examples=max(1, int(times * number)), deadline=None, suppress_health_check=suppressed)
