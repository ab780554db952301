"""How is a tow through the ocean best summed up: by windows of equal length, or by frames of equal water?

A sensor is towed up and down. Where the density of the water changes fast, a window of fixed length averages over
water of all kinds; a delta frame ends before that happens. Both get the same number of pieces here.
"""

import streamframes as sf
from streamframes.data import tow


def main() -> None:
    spark = sf.session()
    made = tow(rows=20_000, seed=2)
    scans = made.toDF(spark)
    measures = {"low": "min(density)", "high": "max(density)", "dye": "avg(fluorescence)"}

    frames = sf.frames(scans, sf.Delta("density", "<", 0.25), ts="scan").agg(**measures).collect()
    windows = sf.frames(scans, sf.Count(-(-made.num_rows // len(frames))), ts="scan").agg(**measures).collect()

    print("                     rows in a piece   spread of density in a piece (kg/m3)")
    print("pieces               least     most    mean     most")
    for name, pieces in (("delta frames", frames), ("windows", windows)):
        rows = [piece.frame_rows for piece in pieces]
        spread = [piece.high - piece.low for piece in pieces]
        mean = sum(spread) / len(spread)
        print(f"{len(pieces)} {name:12} {min(rows):9} {max(rows):8} {mean:7.2f} {max(spread):8.2f}")


if __name__ == "__main__":
    main()
