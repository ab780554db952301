"""Pictures of a comparison: the errors of windows by their length."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.cli.options.compare import EpisodeOptions
from streamframes.cli.options.values import columns_in, worst_in
from streamframes.draw import save_picture
from streamframes.study.report.comparison import COLUMNS, Comparison, picture
from streamframes.study.report.outcome import Table

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.cli.options.windows import Length


def draw(table: pa.Table, lengths: Sequence[Length], episodes: EpisodeOptions, path: Path) -> None:
    """Draw the rows that are wrong, the frames missed and the false alarms, each by length of windows."""
    units = sorted({each.unit for each in lengths})
    # Text gives every length its own place, however far they are apart; the axis says the unit, if it is one.
    names = {each.text: f"{each.size:g}" if len(units) == 1 else each.text for each in lengths}
    columns = ("heuristic", *COLUMNS)
    rows = [[names[row["window"]], *(row[name] for name in columns)] for row in table.to_pylist()]
    found = Comparison(Table("comparison", "", ["window", *columns], rows), " or ".join(units), _liberal(episodes))
    title = f"Windows against frames: {episodes.threshold}"
    figure = picture(found, title)
    for axes in figure.axes if len(units) > 1 else ():
        axes.tick_params(axis="x", labelrotation=30)
    save_picture(figure, path, frames=table, title=title, what="comparisons")


def _liberal(episodes: EpisodeOptions) -> str:
    """The heuristic that needs one row only: the largest value where high ones are looked for."""
    value = episodes.value or next(iter(columns_in(episodes.threshold)), "")
    return "max" if worst_in(episodes.threshold, value) == "high" else "min"
