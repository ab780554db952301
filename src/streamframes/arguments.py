"""Types of arguments that verbs share: what a user may write for a column, a condition, an instant, a measure.

Each is checked when a verb is called; these types are for editors and type checkers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import TypeAlias

from streamframes.core.schemes import Fold
from streamframes.core.schemes.base import Expression

__all__ = ["Columns", "Condition", "Expression", "Groups", "Instant", "Measure"]

# One column name or several.
Columns: TypeAlias = str | Sequence[str]

# Group columns: names, or a mapping from the frames' names to those of other rows.
Groups: TypeAlias = Columns | Mapping[str, str]

# An expression of booleans.
Condition: TypeAlias = Expression

# An aggregate over the rows of a frame.
Measure: TypeAlias = Expression | Fold

# A datetime, a date, ISO text, or a whole number where that is what frames count in.
Instant: TypeAlias = date | str | int
