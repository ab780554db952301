"""The options that every scheme takes, drawn at random."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st

_OPTIONS = {
    "min_rows": st.integers(1, 4),
    "max_rows": st.integers(1, 5),
    "min_duration": st.integers(1, 6),
    "max_duration": st.integers(1, 8),
    "max_gap": st.integers(1, 4),
    "nulls": st.sampled_from(["skip", "break"]),
}


@st.composite
def options(draw: Any, most: int = 3) -> dict[str, Any]:
    """Some of the options, `most` at the most."""
    chosen = draw(st.sets(st.sampled_from(sorted(_OPTIONS)), max_size=most))
    return {name: draw(_OPTIONS[name]) for name in sorted(chosen)}
