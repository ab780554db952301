"""Plots of bursts: one group's signal and alarms, fetched no larger than a picture can show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.io.outputs import quoted
from streamframes.cli.options.bursts import BurstPictureOptions, WindowOptions
from streamframes.cli.plots.frames import MAX_FRAMES, as_number
from streamframes.cli.plots.stretches import fullest, in_group, tick_of
from streamframes.errors import StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.api.bursts import Bursts
    from streamframes.cli.engine import Engine
    from streamframes.spark import DataFrame
    from streamframes.spark.planning.bursts import BurstQuery

MAX_STRETCHES = 1_500
MAX_WINDOWS = 300
# A threshold of 0 is exceeded beyond measure.
_OVER = "coalesce((value - threshold) / nullif(abs(threshold), 0), double('inf'))"


@dataclass(frozen=True)
class BurstPlot:
    """What is drawn: the signal of a search for bursts, and its alarms. Windows count `counted`."""

    search: BurstQuery
    signal: DataFrame
    name: str
    counted: str

    def draw(self, found: DataFrame, path: Path, wanted: Sequence[str]) -> None:
        """Draw the alarms of the group that is wanted, or of one that has many."""
        from streamframes.draw import draw_bursts, save_picture

        search = self.search
        values = list(wanted) or fullest(found, search.rows, search.by)
        group = dict(zip(search.by, values, strict=True))
        named = ", ".join(f"{name} {value}" for name, value in group.items())
        signal = self.signal_of(group)
        if not signal.num_rows:
            raise StreamFramesError(f"--plot finds no values of {self.name} in {named or 'the rows'}")
        title = " of ".join(filter(None, [self.name, named]))
        alarms, total = self.alarms_of(group)
        figure = draw_bursts(
            signal,
            alarms,
            ts=search.ts,
            value=self.name,
            windows=search.settings["windows"],
            window_label=f"window ({self.counted})",
            title=title,
            subtitle=search.describe(),
            total=total,
        )
        shown = found.where(in_group(group)).limit(MAX_FRAMES).toArrow()
        save_picture(figure, path, frames=shown, title=title, what="rows of the result")

    def signal_of(self, group: dict[str, str | None]) -> pa.Table:
        """The signal of a group, summed by unit; of each stretch of a long one the greatest value."""
        ts, unit = quoted(self.search.ts), self.search.settings["unit"]
        known = (
            self.signal.where(in_group(group))
            .selectExpr(f"{ts} AS ts", "__sf_signal AS value", f"{tick_of(self.signal, self.search.ts)} AS tick")
            .where("value IS NOT NULL AND NOT isnan(value) AND ts IS NOT NULL")
        )
        if unit is not None:
            known = self._sql(
                f"SELECT min(ts) AS ts, sum(value) AS value, min(tick) AS tick FROM {{rows}} "
                f"GROUP BY floor(tick / {unit})",
                known,
            )
        size, low, high = known.selectExpr("count(*)", "min(tick)", "max(tick)").first() or (0, 0, 0)
        if size > MAX_STRETCHES:
            known = self._sql(
                f"SELECT max_by(ts, value) AS ts, max(value) AS value FROM {{rows}} "
                f"GROUP BY (tick - {low}) DIV {_width(low, high)}",
                known,
            )
        return known.selectExpr(f"ts AS {ts}", f"value AS {quoted(self.name)}").toArrow()

    def alarms_of(self, group: dict[str, str | None]) -> tuple[pa.Table, int]:
        """The alarms of a group, of each stretch and window the one most over its threshold; and how many there are."""
        windows = self.search.settings["windows"]
        own = replace(self.search, rows=self.search.rows.where(in_group(group)))
        tick = tick_of(own.rows, own.ts)
        low, high = own.rows.selectExpr(f"min({tick})", f"max({tick})").first() or (0, 0)
        lane = "window"
        if len(windows) > MAX_WINDOWS:
            lane = f"width_bucket(ln(window), ln({windows[0]}), ln({windows[-1] + 1}), {MAX_WINDOWS})"
        alarms = own.result("alarms").selectExpr(
            f"struct({quoted(own.ts)}, window, value, threshold) AS alarm",
            f"{_OVER} AS over",
            f"({tick} - {low or 0}) DIV {_width(low or 0, high or 0)} AS stretch",
            f"{lane} AS lane",
        )
        table = self._sql(
            "SELECT alarm.*, n AS __sf_n FROM "
            "(SELECT max_by(alarm, over) AS alarm, count(*) AS n FROM {rows} GROUP BY stretch, lane)",
            alarms,
        ).toArrow()
        return table.drop_columns("__sf_n"), sum(table["__sf_n"].to_pylist())

    def _sql(self, text: str, rows: DataFrame) -> DataFrame:
        return self.search.rows.sparkSession.sql(text, rows=rows)


def _width(low: int, high: int) -> int:
    return max(1, -(-(high - low + 1) // MAX_STRETCHES))


def plot_of(
    engine: Engine, planned: Bursts, value: str | None, windows: WindowOptions, picture: BurstPictureOptions
) -> BurstPlot | None:
    """The picture that is asked for, if any; its signal is one that Spark can evaluate."""
    if picture.plot is None:
        return None
    plan = planned.plan
    wanted = picture.plot_value
    if wanted is None:
        signal = plan.rows.withColumn("__sf_signal", plan.value.cast("double"))
    else:
        text = f"{as_number(wanted)} AS __sf_signal"
        signal = engine.analyse(f"--plot-value {wanted}", lambda: plan.rows.selectExpr("*", text))
    counted = "rows" if windows.unit is None else f"units of {windows.unit}"
    return BurstPlot(plan, signal, wanted or value or "rows", counted)
