"""Exact ways to find all bursts of many window lengths, each as good as it can be made, to measure against.

Every method takes the values of one series, rising window lengths in rows and one threshold for each. It returns
the row, the window length and the sum of each alarm, in any order, and their number: at row n a window w alarms if
it is full, so n + 1 >= w, and the sum of the last w values reaches its threshold. Values are not negative; thresholds
may be anything. With `limit`, alarms are handed over when there are so many, and only the last ones are returned.
"""

from collections.abc import Callable

from streamframes.study.baselines.bursts.alarms import Alarms, Floats, Integers
from streamframes.study.baselines.bursts.brute import brute
from streamframes.study.baselines.bursts.stardust import stardust
from streamframes.study.baselines.bursts.wavelet import wavelet

BASELINES: dict[str, Callable[..., tuple[Alarms, int]]] = {
    "brute force": brute,
    "shifted wavelet tree": wavelet,
    "stardust": stardust,
}
"""Every method by its name."""

__all__ = ["BASELINES", "Alarms", "Floats", "Integers", "brute", "stardust", "wavelet"]
