"""Schemes: the rules by which rows are cut into frames, one in each file: settings, and the rule that the kernel runs.

Entry point: the scheme classes below; `base.Scheme` is what all have. Used by every layer above, and by users.
"""

from streamframes.core.schemes.aggregate import Aggregate
from streamframes.core.schemes.base import Scheme
from streamframes.core.schemes.boundary import Boundary
from streamframes.core.schemes.change import Change
from streamframes.core.schemes.count import Count
from streamframes.core.schemes.delta import Delta
from streamframes.core.schemes.every import Every
from streamframes.core.schemes.folds import Fold
from streamframes.core.schemes.gap import Gap
from streamframes.core.schemes.own import OwnScheme
from streamframes.core.schemes.threshold import Threshold

__all__ = [
    "Aggregate",
    "Boundary",
    "Change",
    "Count",
    "Delta",
    "Every",
    "Fold",
    "Gap",
    "OwnScheme",
    "Scheme",
    "Threshold",
]
