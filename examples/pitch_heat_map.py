"""How long was a player in each part of the pitch?

A boundary frame lasts while the position stays in one cell of a grid, so time is charged to cells exactly, however
long or short a stay was. The way from the last position in a cell to the first in the next counts for the cell left.
"""

import numpy as np
import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F

import streamframes as sf

LENGTH, WIDTH, CELL = 105.0, 68.0, 5.25
SHADES = " .:-=+*#%@"


def positions(seconds: int, seed: int) -> pa.Table:
    """A made-up player, ten positions a second: drawn home to the left wing, pushed around by the game."""
    random = np.random.default_rng(seed)
    at, home = np.array([30.0, 50.0]), np.array([45.0, 48.0])
    path = np.empty((10 * seconds, 2))
    for i, push in enumerate(random.normal(0, 0.5, path.shape)):
        at = np.clip(at + 0.002 * (home - at) + push, [0.0, 0.0], [LENGTH, WIDTH])
        path[i] = at
    return pa.table({"tenth": np.arange(len(path)), "x": path[:, 0], "y": path[:, 1]})


def main() -> None:
    spark = sf.session()
    track = spark.createDataFrame(positions(seconds=600, seed=4))

    stays = sf.frames(track, sf.Boundary({"x": CELL, "y": CELL}), ts="tenth").toDF()
    left = F.lead("frame_start", 1).over(Window.orderBy("frame_start"))
    tenths = F.coalesce(left, F.col("frame_end") + 1) - F.col("frame_start")
    rows = stays.select("frame_cell", tenths.alias("tenths")).groupBy("frame_cell").agg(F.sum("tenths").alias("tenths"))

    time = {tuple(row.frame_cell): row.tenths / 10 for row in rows.collect()}
    favourite, most = max(time.items(), key=lambda item: item[1])
    print(f"{sum(time.values()):.0f} seconds in {len(time)} cells; {most:.1f} of them in cell {favourite}\n")
    for y in range(int(-(-WIDTH // CELL)), 0, -1):
        shades = [SHADES[round(9 * time.get((x, y), 0) / most)] * 2 for x in range(1, int(-(-LENGTH // CELL)) + 1)]
        print(f"|{''.join(shades)}|")


if __name__ == "__main__":
    main()
