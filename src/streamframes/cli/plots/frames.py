"""Plots: one group's signal and frames, fetched no larger than a picture can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.io.outputs import quoted
from streamframes.cli.options.values import columns_in, levels_in
from streamframes.cli.plots.marks import Marks
from streamframes.cli.plots.stretches import fullest, in_group, tick_of, ticks
from streamframes.core.schemes import Boundary, Scheme, Threshold
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.draw import Marks as DrawnMarks
    from streamframes.spark import DataFrame

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
# What a page of HTML lists, and more than a picture shows.
MAX_FRAMES = 1_000
MAX_POINTS = 4_000
# The rows with the least and the greatest value of each stretch of equal length.
_THIN = """
    SELECT DISTINCT point.ts AS {ts}, point.value AS {value} FROM (
        SELECT explode(array(min_by(point, point.value), max_by(point, point.value))) AS point FROM (
            SELECT struct(ts, value) AS point, (tick - {low}) DIV {width} AS stretch FROM {{rows}}
        ) GROUP BY stretch
    )
"""


@dataclass(frozen=True)
class Plot:
    """What is drawn: a signal of the rows, where it may come from, and other rows as marks below it."""

    rows: DataFrame
    scheme: Scheme
    ts: str
    by: Sequence[str]
    prefix: str
    value: str
    marks: Marks | None = None

    def levels(self) -> list[float]:
        """The numbers that the scheme compares the signal with."""
        if isinstance(self.scheme, Boundary):
            lines = self.scheme.grid.get(self.value)
            return [float(line) for line in lines] if isinstance(lines, list) else []
        conditions = _expressions(self.scheme) if isinstance(self.scheme, Threshold) else []
        return list(dict.fromkeys(level for text in conditions for level in levels_in(text, self.value)))

    def frames_of(self, frames: DataFrame, group: Sequence[str | None]) -> tuple[pa.Table, int]:
        """The first frames of a group by start, and how many there are."""
        chosen = frames.where(in_group(self.values_of(group)))
        table = chosen.orderBy(quoted(f"{self.prefix}start")).limit(MAX_FRAMES).toArrow()
        return table, chosen.count() if table.num_rows == MAX_FRAMES else table.num_rows

    def signal_of(self, group: Sequence[str | None], stretch: tuple[int, int] | None) -> pa.Table:
        """The signal of a group within a stretch of time, thinned to what a picture shows."""
        ts, value = quoted(self.ts), quoted(self.value)
        chosen = self.rows.where(in_group(self.values_of(group))).selectExpr(
            f"{ts} AS ts", f"{as_number(self.value)} AS value", f"{tick_of(self.rows, self.ts)} AS tick"
        )
        known = chosen.where("value IS NOT NULL AND NOT isnan(value) AND ts IS NOT NULL")
        if stretch is not None:
            known = known.where(f"tick BETWEEN {stretch[0]} AND {stretch[1]}")
        size, low, high = known.selectExpr("count(*)", "min(tick)", "max(tick)").first() or (0, 0, 0)
        if size <= MAX_POINTS:
            return known.selectExpr(f"ts AS {ts}", f"value AS {value}").toArrow()
        width = max(1, 2 * (high - low) // MAX_POINTS)
        thin = _THIN.format(ts=ts, value=value, low=low, width=width)
        return self.rows.sparkSession.sql(thin, rows=known).toArrow()

    def draw(self, frames: DataFrame, path: Path, wanted: Sequence[str]) -> None:
        """Draw the frames of the group that is wanted, or of one that has many."""
        from streamframes.draw import Levels, draw_frames, save_picture

        group = list(wanted) or fullest(frames, self.rows, self.by)
        table, total = self.frames_of(frames, group)
        stretch = self.stretch(table)
        signal = self.signal_of(group, stretch)
        if not signal.num_rows:
            raise StreamFramesError(f"--plot finds no values of {self.value} in {self.named(group) or 'the rows'}")
        title = " of ".join(filter(None, [self.value, self.named(group)]))
        figure = draw_frames(
            signal,
            table,
            ts=self.ts,
            value=self.value,
            levels=Levels(self.levels(), "threshold" if isinstance(self.scheme, Threshold) else "line"),
            marks=self.marked(group, stretch or self.reach(signal, table)),
            title=title,
            subtitle=repr(self.scheme),
            prefix=self.prefix,
            total=total,
        )
        save_picture(figure, path, frames=table, title=title)

    def marked(self, group: Sequence[str | None], stretch: tuple[int, int]) -> DrawnMarks | None:
        """The other rows of a group within a stretch of time."""
        if self.marks is None:
            return None
        from streamframes.draw import Marks as DrawnMarks

        return DrawnMarks(self.marks.within(self.values_of(group), *stretch), self.marks.label)

    def reach(self, signal: pa.Table, frames: pa.Table) -> tuple[int, int]:
        """From the first to the last tick of a signal and its frames."""
        edges = [frames[f"{self.prefix}{edge}"] for edge in ("start", "end")]
        shown = [tick for column in (signal[self.ts], *edges) for tick in ticks(column)]
        return min(shown), max(shown)

    def stretch(self, frames: pa.Table) -> tuple[int, int] | None:
        """The ticks between which to draw, where there are too many frames to draw all of them."""
        from streamframes.draw.bands import MAX_BANDS

        start, end = (ticks(frames[f"{self.prefix}{edge}"].slice(0, MAX_BANDS)) for edge in ("start", "end"))
        if frames.num_rows <= MAX_BANDS or not start or not end:
            return None
        return min(start), max(end)

    def named(self, group: Sequence[str | None]) -> str:
        """The group in words."""
        return ", ".join(f"{name} {value}" for name, value in self.values_of(group).items())

    def values_of(self, group: Sequence[str | None]) -> dict[str, str | None]:
        """The values of a group by column."""
        return dict(zip(self.by, group, strict=True))


def signal_for(rows: DataFrame, scheme: Scheme, taken: Sequence[str]) -> str:
    """The column of numbers that the scheme looks at, else any that is not taken by ts and by."""
    kinds = dict(rows.dtypes)
    looked_at = [column for text in _expressions(scheme) for column in columns_in(text)]
    for name in (*looked_at, *kinds):
        if kinds.get(name, "").startswith(NUMBERS) and name not in taken:
            return name
    raise InvalidArgument("--plot finds no column of numbers; name a signal with --plot-value")


def as_number(value: str) -> str:
    """An expression of the user as a number."""
    return f"cast(({value}) AS double)"


def _expressions(scheme: Scheme) -> list[str]:
    return [str(each.expression) for each in scheme.inputs()]
