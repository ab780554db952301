"""Windows that follow the data: frames over Spark tables."""

from streamframes.core.schemes import (
    Aggregate,
    Boundary,
    Change,
    Count,
    Delta,
    Every,
    Fold,
    Gap,
    OwnScheme,
    Scheme,
    Threshold,
)

__all__ = ["Aggregate", "Boundary", "Change", "Count", "Delta", "Every", "Fold", "Gap", "OwnScheme", "Scheme", "Threshold"]
