"""Colours: those of all pictures, and one for each class of sessions."""

from __future__ import annotations

from collections.abc import Iterable

# Text, and lines that stay in the background.
INK, FAINT = "#22303c", "#d8dee4"
# A signal, and the rows of it that are in a frame.
SIGNAL, INSIDE = "#6b7c8c", "#c2410c"

_COLOURS = ("#475569", "#2563eb", "#ea580c", "#16a34a", "#9333ea", "#ca8a04", "#db2777", "#0891b2")


def colours(names: Iterable[str]) -> dict[str, str]:
    """A colour for each name, in their order, from the outermost class inwards; those of many names come again.

    >>> colours(["Call", "ATT", "Call"])
    {'Call': '#475569', 'ATT': '#2563eb'}
    """
    return {name: _COLOURS[place % len(_COLOURS)] for place, name in enumerate(dict.fromkeys(names))}
