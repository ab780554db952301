"""Pictures that a command is asked for: checked before anything starts, drawn when the frames are known."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from streamframes.cli.options.common import PictureOptions
from streamframes.cli.terminal import note
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api.frames import Frames
    from streamframes.cli.engine import Engine
    from streamframes.cli.io.inputs import Source
    from streamframes.cli.io.outputs import Target
    from streamframes.cli.plots.frames import Plot
    from streamframes.cli.plots.marks import Marks
    from streamframes.spark import DataFrame
    from streamframes.spark.planning.frames import FrameQuery


class Pictured(Protocol):
    """Options that may ask for a picture."""

    @property
    def plot(self) -> Path | None:
        """Where it goes."""


class Drawn(Protocol):
    """A picture that can be drawn once the results are known."""

    def draw(self, frames: DataFrame, path: Path, wanted: Sequence[str], /) -> None:
        """Draw it, of the group that is wanted, or of one that has many."""


def check_picture(picture: PictureOptions, by: Sequence[str]) -> None:
    """Refuse a picture that could not be drawn."""
    if picture.plot is None and (picture.plot_value or picture.plot_group):
        raise InvalidArgument("--plot-value and --plot-group belong to --plot FILE")
    if picture.plot_group and len(picture.plot_group) != len(by):
        given = " ".join(picture.plot_group)
        raise InvalidArgument(f"--plot-group {given!r} must be one value for each --by; there are {len(by)}")
    if picture.plot is not None:
        from streamframes.draw.saving import check_picture as check_path

        check_path(picture.plot)


def check_target(target: Target | None, picture: Pictured, **sources: Source) -> None:
    """Refuse an output that takes the place of what the picture is drawn from."""
    if target is None or picture.plot is None:
        return
    for name, source in sources.items():
        if target.replaces(source.paths):
            raise InvalidArgument(f"--output {target.path} replaces {name}, which --plot still reads; choose another")


def plot_of(engine: Engine, planned: Frames, picture: PictureOptions, marks: Marks | None = None) -> Plot | None:
    """The picture that is asked for, if any; its signal is one that Spark can evaluate."""
    from streamframes.cli.plots.frames import Plot, as_number, signal_for

    if picture.plot is None:
        return None
    plan = cast("FrameQuery", planned.plan)
    value = picture.plot_value or signal_for(plan.rows, plan.scheme, [plan.ts, *plan.by])
    engine.analyse(f"--plot-value {value}", lambda: plan.rows.selectExpr(as_number(value)))
    return Plot(plan.rows, plan.scheme, plan.ts, plan.by, plan.prefix, value, marks)


def draw(engine: Engine, plot: Drawn | None, frames: DataFrame, picture: PictureOptions) -> None:
    """Draw the picture, if there is to be one."""
    path, group = picture.plot, picture.plot_group
    if plot is None or path is None:
        return
    engine.run("Drawing", lambda: plot.draw(frames, path, group), failed=f"cannot draw {path}")
    note(f"Picture: {path}")
