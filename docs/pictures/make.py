"""Makes frames.png, the picture of the README: `python docs/pictures/make.py`."""

from datetime import timedelta
from pathlib import Path

import pyarrow.compute as pc
from PIL import Image

from streamframes.data import routers
from streamframes.draw import Levels, draw_frames, save_picture

ROUTER, FROM, UNTIL = "r5", timedelta(minutes=40), timedelta(hours=6, minutes=30)


def main() -> None:
    """Draw some hours of one router."""
    made = routers(rows=100_000, routers=10, seed=0)
    beginning = made.table["rpt_time"][0].as_py()

    def some_hours(table, instant):
        within = pc.and_(pc.greater_equal(table[instant], beginning + FROM), pc.less(table[instant], beginning + UNTIL))
        return table.filter(pc.and_(within, pc.equal(table["router"], ROUTER)))

    # The planted episodes are what the scheme finds, to the row: the tests and `streamframes demo` prove it.
    reports, frames = some_hours(made.table, "rpt_time"), some_hours(made.episodes, "frame_start")
    figure = draw_frames(
        reports,
        frames,
        ts="rpt_time",
        value="drop_pct",
        label="drop_pct (% of packets)",
        levels=Levels([0.3], "threshold"),
        title="Frames follow the data",
        subtitle=f"Threshold('drop_pct > 0.3', min_duration='2 minutes') on router {ROUTER}",
    )
    outside = pc.and_(pc.greater(reports["drop_pct"], 0.3), pc.greater(reports["rpt_time"], frames["frame_end"][-1]))
    spike = reports.filter(outside)
    # Matplotlib counts days since 1970.
    at = spike["rpt_time"][0].as_py().timestamp() / 86_400
    figure.axes[1].annotate(
        "too short:\nno frame",
        (at, max(spike["drop_pct"].to_pylist())),
        xytext=(-12, 14),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color="#22303c",
        arrowprops={"arrowstyle": "-", "color": "#6b7c8c"},
    )
    path = save_picture(figure, Path(__file__).with_name("frames.png"))
    # 64 colours are enough, and take a third of the space.
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    main()
