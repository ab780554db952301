"""Plots: one group's signal and frames, fetched no larger than a picture can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from streamframes.cli.outputs import quoted
from streamframes.cli.terms import columns_in, levels_in
from streamframes.core.schemes import Boundary, Scheme, Threshold
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.spark import DataFrame

NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double", "decimal")
# More frames than a picture shows, so that it can say that there are more.
MAX_FRAMES = 10_000
MAX_POINTS = 4_000
_TICKS = {
    "timestamp": "unix_micros({})",
    "timestamp_ntz": "unix_micros(cast({} as timestamp))",
    "date": "unix_date({})",
}
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
    """What is drawn: the table and its frames, of one group."""

    rows: DataFrame
    frames: DataFrame
    scheme: Scheme
    ts: str
    by: Sequence[str]
    prefix: str

    def value(self, wanted: str | None) -> str:
        """The signal: what is asked for, else what the scheme looks at, else any number."""
        if wanted is not None:
            return wanted
        kinds = dict(self.rows.dtypes)
        looked_at = [column for text in _expressions(self.scheme) for column in columns_in(text)]
        for name in (*looked_at, *kinds):
            if kinds.get(name, "").startswith(NUMBERS) and name not in (self.ts, *self.by):
                return name
        raise InvalidArgument("--plot finds no column of numbers; name a signal with --plot-value")

    def levels(self, value: str) -> list[float]:
        """The numbers that the scheme compares the signal with."""
        if isinstance(self.scheme, Boundary):
            lines = self.scheme.grid.get(value)
            return [float(line) for line in lines] if isinstance(lines, list) else []
        conditions = _expressions(self.scheme) if isinstance(self.scheme, Threshold) else []
        return list(dict.fromkeys(level for text in conditions for level in levels_in(text, value)))

    def group(self, wanted: Sequence[str]) -> list[str | None]:
        """The group that is asked for, else the one with most frames, else the first."""
        if wanted:
            if len(wanted) != len(self.by):
                raise InvalidArgument(
                    f"--plot-group {' '.join(wanted)!r} must give a value for each --by ({', '.join(self.by)})"
                )
            return list(wanted)
        if not self.by:
            return []
        names = [quoted(name) for name in self.by]
        texts = [f"cast({name} as string)" for name in names]
        found = self.frames.groupBy(*names).count().selectExpr("-count AS n", *texts).orderBy("n", *texts)
        first = found.first() or self.rows.selectExpr("0", *texts).first()
        return [None] * len(self.by) if first is None else list(first)[1:]

    def frames_of(self, group: Sequence[str | None]) -> pa.Table:
        """The frames of a group, by start."""
        chosen = self.frames.where(_condition(self.by, group))
        return chosen.orderBy(quoted(f"{self.prefix}start")).limit(MAX_FRAMES).toArrow()

    def signal_of(self, group: Sequence[str | None], value: str) -> pa.Table:
        """The signal of a group, thinned where it has more points than a picture."""
        kind = dict(self.rows.dtypes)[self.ts]
        ts = quoted(self.ts)
        tick = _TICKS.get(kind, "cast({} as bigint)").format(ts)
        chosen = self.rows.where(_condition(self.by, group)).selectExpr(
            f"{ts} AS ts", f"cast({value} AS double) AS value", f"{tick} AS tick"
        )
        known = chosen.where("value IS NOT NULL AND NOT isnan(value) AND ts IS NOT NULL")
        size, low, high = known.selectExpr("count(*)", "min(tick)", "max(tick)").first() or (0, 0, 0)
        if size <= MAX_POINTS:
            return known.selectExpr(f"ts AS {ts}", f"value AS {quoted(value)}").toArrow()
        width = max(1, 2 * (high - low) // MAX_POINTS)
        thin = _THIN.format(ts=ts, value=quoted(value), low=low, width=width)
        return self.rows.sparkSession.sql(thin, rows=known).toArrow()


def _condition(by: Sequence[str], group: Sequence[str | None]) -> str:
    tests = [
        f"cast({quoted(name)} as string) <=> {exp.convert(value).sql('spark')}"
        for name, value in zip(by, group, strict=True)
    ]
    return " AND ".join(tests) or "true"


def _expressions(scheme: Scheme) -> list[str]:
    return [str(each.expression) for each in scheme.inputs()]


def draw(plot: Plot, path: Any, wanted: str | None, group: Sequence[str | None]) -> None:
    """Draw and save."""
    from streamframes.draw import draw_frames, save_picture

    value = plot.value(wanted)
    frames, signal = plot.frames_of(group), plot.signal_of(group, value)
    named = ", ".join(f"{name} {value}" for name, value in zip(plot.by, group, strict=True))
    title = f"{value} of {named}" if named else value
    figure = draw_frames(
        signal,
        frames,
        ts=plot.ts,
        value=value,
        levels=plot.levels(value),
        level_label="threshold" if isinstance(plot.scheme, Threshold) else "line",
        title=title,
        subtitle=f"{plot.scheme!r} · {frames.num_rows:,} frames",
        prefix=plot.prefix,
    )
    save_picture(figure, path, frames=frames, title=title)
