"""A scheme of your own: patches of dye, each as far as it is at least half as strong as at its peak.

No fixed threshold says that, because the peak is another one for every patch. Three small methods do. What is left
of a strong patch may open the next one.
"""

from dataclasses import dataclass
from typing import ClassVar

import streamframes as sf
from streamframes.data import tow


@dataclass(frozen=True, eq=False, repr=False)
class Patch(sf.OwnScheme):
    """Opens above `above`, and ends where the value falls below a share of the highest so far."""

    value: str
    above: float
    share: float = 0.5
    state: ClassVar = {"peak": 0.0}

    def columns(self):
        return {"v": self.value}

    def opens(self, row):
        return row.v > self.above

    def closes(self, row, frame):
        return sf.BEFORE if row.v < self.share * frame.peak else sf.GOES_ON

    def update(self, row, frame):
        return (max(frame.peak, row.v),)


def main() -> None:
    spark = sf.session()
    scheme = Patch("fluorescence", 0.3, min_rows=20)
    sf.check_scheme(scheme, examples=50)
    print(f"{type(scheme).__name__} satisfies the laws.\n")

    patches = sf.frames(tow(rows=40_000, seed=1).toDF(spark), scheme, ts="scan")
    print("   scans         rows   peak  depth")
    for row in patches.agg(peak="max(fluorescence)", depth="avg(depth_m)").orderBy("frame_start").collect():
        print(f"{row.frame_start:6}-{row.frame_end:6} {row.frame_rows:7} {row.peak:6.2f} {row.depth:5.1f} m")


if __name__ == "__main__":
    main()
