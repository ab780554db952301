"""Plots of regions: one group's reports by time and place, fetched no larger than a picture can show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

from streamframes.cli.io.outputs import quoted
from streamframes.cli.options.regions import RegionArguments
from streamframes.cli.options.values import columns_in, levels_in, worst_in
from streamframes.cli.plots.frames import MAX_FRAMES, NUMBERS, as_number
from streamframes.cli.plots.stretches import fullest, in_group, tick_of
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.cli.engine import Engine
    from streamframes.spark import DataFrame

MAX_REPORTS = 400_000
MAX_STRETCHES, MAX_LANES = 1_500, 400
MAX_REGIONS = 5_000
_DISTINCT = 1_000
# Letters in a line above a picture.
_LONGEST = 150
# Rows that no value tells apart.
_ALIKE = "1"


@dataclass(frozen=True)
class RegionPlot:
    """What is drawn: reports by time and place, coloured by a value where there is one dimension."""

    rows: DataFrame
    ts: str
    space: Sequence[str]
    by: Sequence[str]
    prefix: str
    value: str
    text: str
    where: str | None

    @property
    def name(self) -> str:
        """What is seen."""
        return "rows" if self.value == _ALIKE else self.value

    def draw(self, found: DataFrame, path: Path, wanted: Sequence[str]) -> None:
        """Draw the regions of the group that is wanted, or of one that has many."""
        from streamframes.draw import RegionColours, draw_regions, save_picture

        group = dict(zip(self.by, list(wanted) or fullest(found, self.rows, self.by), strict=True))
        named = ", ".join(f"{name} {value}" for name, value in group.items())
        reports = self.reports_of(group)
        if not reports.num_rows:
            raise StreamFramesError(f"--plot finds no values of {self.name} in {named or 'the rows'}")
        title = " of ".join(filter(None, [self.name, named]))
        chosen = found.where(in_group(group))
        regions = chosen.orderBy(quoted(f"{self.prefix}start")).limit(MAX_REGIONS).toArrow()
        plain = len(self.space) == 1 and self.where is not None
        colours = RegionColours(
            worst=worst_in(self.where, self.value) if plain and self.where else "high",
            levels=levels_in(self.where, self.value) if plain and self.where else (),
        )
        figure = draw_regions(
            reports,
            regions,
            ts=self.ts,
            space=self.space,
            value=self.name if len(self.space) == 1 else None,
            colours=colours,
            title=title,
            subtitle=shorten(self.text, _LONGEST, placeholder=" ..."),
            prefix=self.prefix,
            total=chosen.count() if regions.num_rows == MAX_REGIONS else regions.num_rows,
        )
        save_picture(figure, path, frames=regions.slice(0, MAX_FRAMES), title=title, what="regions")

    def reports_of(self, group: Mapping[str, str | None]) -> pa.Table:
        """The reports of a group; the mean of each cell that a reader could tell apart, where there are many."""
        places = [f"p{n}" for n in range(len(self.space))]
        known = (
            self.rows.where(in_group(group))
            .selectExpr(
                f"{quoted(self.ts)} AS ts",
                f"{tick_of(self.rows, self.ts)} AS tick",
                *(f"cast({quoted(name)} as double) AS {place}" for name, place in zip(self.space, places, strict=True)),
                f"{as_number(self.value)} AS value",
            )
            .where(
                " AND ".join(["ts IS NOT NULL", *(f"{place} IS NOT NULL AND NOT isnan({place})" for place in places)])
            )
        )
        size = known.count()
        if size > MAX_REPORTS:
            known = self._thinned(known) if len(places) == 1 else known.sample(fraction=MAX_REPORTS / size, seed=1)
        names = [
            f"{place} AS {quoted(name)}" for name, place in zip((self.ts, *self.space), ("ts", *places), strict=True)
        ]
        return known.selectExpr(*names, f"value AS {quoted(self.name)}").toArrow()

    def _thinned(self, known: DataFrame) -> DataFrame:
        edges = "min(tick), max(tick), min(p0), max(p0), approx_count_distinct(p0)"
        low, high, first, last, distinct = known.selectExpr(*edges.split(", ")).first() or (0, 0, 0.0, 0.0, 0)
        width = max(1, -(-(high - low + 1) // MAX_STRETCHES))
        lane = "p0" if distinct <= _DISTINCT else f"floor((p0 - {first}D) / {(last - first) / MAX_LANES or 1.0}D)"
        return self.rows.sparkSession.sql(
            f"SELECT min(ts) AS ts, avg(p0) AS p0, avg(value) AS value FROM {{known}} "
            f"GROUP BY (tick - {low}) DIV {width}, {lane}",
            known=known,
        )


def plot_of(
    engine: Engine, rows: DataFrame, arguments: RegionArguments, text: str, where: str | None
) -> RegionPlot | None:
    """The picture that is asked for, if any; what colours it is something that Spark can evaluate."""
    if arguments.picture.plot is None:
        return None
    spelled = {name.lower(): name for name in rows.columns}
    ts, *others = (
        spelled[name.lower()] for name in (arguments.source.ts[0], *arguments.space.space, *arguments.source.by)
    )
    space, by = others[: len(arguments.space.space)], others[len(arguments.space.space) :]
    value = arguments.picture.plot_value or _value_for(rows, where, [ts, *others])
    engine.analyse(f"--plot-value {value}", lambda: rows.selectExpr(as_number(value)))
    return RegionPlot(rows, ts, space, by, arguments.result.prefix, value, text, where)


def _value_for(rows: DataFrame, where: str | None, taken: Sequence[str]) -> str:
    """The column of numbers that the condition looks at, else any that is not taken; rows where none is asked for."""
    if where is None:
        return _ALIKE
    kinds = dict(rows.dtypes)
    for name in (*columns_in(where), *kinds):
        if kinds.get(name, "").startswith(NUMBERS) and name not in taken:
            return name
    raise InvalidArgument("--plot finds no column of numbers; name one with --plot-value")
