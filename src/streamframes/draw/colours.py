"""Colours: one for each class of sessions, from the outermost inwards."""

from __future__ import annotations

from collections.abc import Iterable

_COLOURS = ("#475569", "#2563eb", "#ea580c", "#16a34a", "#9333ea", "#ca8a04", "#db2777", "#0891b2")


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name, in their order; those of many names come again.

    >>> colours(["Call", "ATT", "Call"])
    {'Call': '#475569', 'ATT': '#2563eb'}
    """
    return {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(dict.fromkeys(names))}
