"""Dwell: how long each player of a match is in each cell of the pitch, by three ways of looking.

positions  . . . . . . . . . . .      every position counts for the time until the next: what is true
frames     [---a---][-b-][--a--]      boundary frames: each stay in a cell counts from its start to its end
windows    [  a  ][  b  ][  a  ]      each window counts for the cell of its average position
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.api.frames import Frames, frames
from streamframes.core.schemes import Boundary, Every
from streamframes.data import pitch
from streamframes.study.kit import Lab, Need

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

GRID = {"x": 4.25, "y": 4.2}
ACROSS, ALONG = 16, 25
"""The cells of a pitch of 68 x 105 metres, and how many there are."""
NEEDS = (
    Need("ts", "when, as a timestamp", ("timestamp_micros(frame * 100000)",), kind="time"),
    Need("player", "who", ("CASE WHEN object_id NOT IN (55, 22396) THEN CAST(object_id AS STRING) END",)),
    Need("x", "metres across the pitch, 0 to 68", ("CAST(y_m AS DOUBLE) + 34",), kind="number"),
    Need("y", "metres along the pitch, 0 to 105", ("CAST(x_m AS DOUBLE) + 52.5",), kind="number"),
    Need("half", "which half of the match", ("CAST(period AS INT)",), optional=True),
)
"""What positions have; the spellings are those of SkillCorner, where 55 is the ball and 22396 the referee."""
GROUP = ("half", "player")
CELL = ("cell_x", "cell_y")
MICROS = 1_000_000
_PLAYERS, _RATE, _MINUTES = 16, 200, 10


@dataclass(frozen=True)
class Positions:
    """Positions of players, and the usual time from one to the next, in microseconds."""

    rows: DataFrame
    period: int
    name: str

    def stays(self) -> Frames:
        """While a player is in a cell; nobody stays whose positions do not come."""
        scheme = Boundary(GRID, max_gap=f"{3 * self.period // 2} microseconds")
        return frames(self.rows, scheme, ts="ts", by=GROUP)

    def windows(self, length: int) -> DataFrame:
        """The average position in each window of so many microseconds."""
        return frames(self.rows, Every(f"{length} microseconds"), ts="ts", by=GROUP).agg(x="avg(x)", y="avg(y)")

    def time_by_positions(self, slide: int) -> DataFrame:
        """The true time in each cell, for each player and slide of so many microseconds."""
        return _summed(self.rows, "ts", slide, _cells("x", "y"), str(self.period))

    def time_by_frames(self, slide: int) -> DataFrame:
        """The time of stays, which are cut where a report is due and last until the next position."""
        pieces = self.stays().expand(after=f"{self.period - 1} microseconds").split(every=f"{slide} microseconds")
        length = "unix_micros(frame_end) - unix_micros(frame_start) + 1"
        return _summed(pieces.toDF(), "frame_start", slide, ["frame_cell[0]", "frame_cell[1]"], length)

    def time_by_windows(self, slide: int, length: int) -> DataFrame:
        """The time of windows, which are parts of a slide."""
        return _summed(self.windows(length), "frame_start", slide, _cells("x", "y"), f"frame_rows * {self.period}")


def positions(lab: Lab) -> Positions:
    """The positions that were given, or those of a match that is played for ten minutes or more."""
    if lab.data is not None:
        rows = lab.data if "half" in lab.data.columns else lab.data.selectExpr("*", "1 AS half")
        rows = rows.dropna().cache()
        return Positions(rows, _usual_step(lab, rows), lab.source)
    rate = min(_RATE, max(5, lab.rows // (_PLAYERS * 60 * _MINUTES)))
    minutes = max(_MINUTES, lab.rows // (_PLAYERS * 60 * rate))
    made = pitch(minutes, rate=rate, seed=lab.seed)
    rows = lab.rows_of(lambda: made).drop("team").cache()
    name = f"{made.num_rows:,} made-up positions: {_PLAYERS} players, {minutes} minutes, {rate} Hz"
    return Positions(rows, MICROS // rate, name)


def compare(
    lab: Lab, times: pa.Table, views: Sequence[str], *, length: int, slide: int
) -> dict[str, tuple[float, float]]:
    """The error of the heat maps that are reported every `slide`, each of the `length` before.

    Parameters
    ----------
    lab
        Where it runs.
    times
        way, half, player, bucket (the number of the slide), cell_x, cell_y and seconds; one way is `exact`.
    views
        Those that are compared with it.
    length, slide
        In microseconds.

    Returns
    -------
    dict
        Way -> root mean square of the error in seconds over all cells of all maps, and the percent of the time that
        is in a wrong cell.
    """
    wide = _wide(lab, times, views, slide)
    report = Every(f"{length} microseconds", slide=f"{slide} microseconds")
    sums = {name: f"sum({name})" for name in ["exact", *_columns(views)]}
    maps = frames(wide, report, ts="at", by=[*GROUP, *CELL]).agg(**sums)
    errors_sql = [f"sum(pow({name} - exact, 2)), sum(abs({name} - exact))" for name in _columns(views)]
    doing = f"Comparing maps of {length // MICROS} s every {slide // MICROS} s"
    found = lab.fetch(doing, lab.spark.sql(f"SELECT sum(exact), {', '.join(errors_sql)} FROM {{maps}}", maps=maps))
    total, *errors = (column[0].as_py() for column in found.columns)
    number = frames(wide.select(*GROUP, "at").distinct(), report, ts="at", by=GROUP).toDF().count()
    cells = number * ACROSS * ALONG
    return {
        way: (float(np.sqrt(squares / cells)), 50 * away / total)
        for way, squares, away in zip(views, errors[::2], errors[1::2], strict=True)
    }


def gathered(found: Mapping[str, pa.Table]) -> pa.Table:
    """The times of all ways in one table; a column may hold nulls in it if it may in any of them."""
    tables = [times.append_column("way", pa.repeat(way, len(times))) for way, times in found.items()]
    return pa.concat_tables(tables, promote_options="default")


def heat(times: pa.Table, way: str, player: str) -> np.ndarray:
    """Seconds in each cell, across and along, of one player in the whole match."""
    mine = times.filter((pc.field("way") == way) & (pc.field("player") == player))
    seconds = np.zeros((ACROSS, ALONG))
    np.add.at(seconds, tuple(mine[name].to_numpy() - 1 for name in CELL), mine["seconds"].to_numpy())
    return seconds


def _columns(views: Sequence[str]) -> list[str]:
    return [f"way_{number}" for number in range(len(views))]


def _wide(lab: Lab, times: pa.Table, views: Sequence[str], slide: int) -> DataFrame:
    """A column of seconds for each way."""
    each = [
        f"sum(if(way = '{way}', seconds, 0)) AS {column}"
        for way, column in zip(["exact", *views], ["exact", *_columns(views)], strict=True)
    ]
    keys = ", ".join([*GROUP, *CELL])
    text = f"SELECT {keys}, timestamp_micros(bucket * {slide}) AS at, {', '.join(each)} FROM {{times}} GROUP BY ALL"
    return lab.spark.sql(text, times=lab.spark.createDataFrame(times))


def _cells(x: str, y: str) -> list[str]:
    """The cell of a place; a place on a line belongs to the cell below it, however it is rounded."""
    return [f"ceil(round({value} / {step}, 9))" for value, step in zip((x, y), GRID.values(), strict=True)]


def _summed(rows: DataFrame, at: str, slide: int, cell: Sequence[str], micros: str) -> DataFrame:
    """Seconds for each player, slide and cell of the pitch, and how many points they were added up from."""
    named = [f"CAST({text} AS INT) AS {name}" for text, name in zip(cell, CELL, strict=True)]
    parts = rows.selectExpr(*GROUP, f"unix_micros({at}) div {slide} AS bucket", *named, f"{micros} AS micros")
    inside = parts.where(f"cell_x BETWEEN 1 AND {ACROSS} AND cell_y BETWEEN 1 AND {ALONG}")
    summed = inside.groupBy(*GROUP, "bucket", *CELL).agg({"micros": "sum", "*": "count"})
    return summed.selectExpr(*GROUP, "bucket", *CELL, f"`sum(micros)` / {MICROS} AS seconds", "`count(1)` AS points")


def _usual_step(lab: Lab, rows: DataFrame) -> int:
    """Microseconds between positions of a player: the median."""
    steps = "unix_micros(ts) - lag(unix_micros(ts)) OVER (PARTITION BY half, player ORDER BY ts) AS step"
    text = f"SELECT CAST(median(step) AS BIGINT) AS step FROM (SELECT {steps} FROM {{rows}})"
    found = lab.fetch("Looking how often positions come", lab.spark.sql(text, rows=rows))["step"][0].as_py()
    return max(1, found or MICROS)
