"""Results of a search in time and space: what both of its commands do with their options and with what they find."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.cli.io.results import Result
from streamframes.cli.options.regions import RegionArguments
from streamframes.cli.terminal import say
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api.regions import Regions
    from streamframes.cli.engine import Engine
    from streamframes.cli.io.inputs import Source
    from streamframes.cli.io.outputs import Target
    from streamframes.spark import DataFrame

# Shapes are for programs, not for reading.
_LONG = ("extents", "hull", "outline")
_AXES = 2


def target_of_regions(arguments: RegionArguments, **sources: Source) -> Target | None:
    """Where results go; refuses, before anything is started, options that contradict each other."""
    from streamframes.cli.io.results import target_for
    from streamframes.cli.options.schemes import measures_of
    from streamframes.cli.plots.targets import check_picture, check_target

    measures_of(arguments.measures)
    space, result, picture = arguments.space.space, arguments.result, arguments.picture
    if len(space) > _AXES:
        raise InvalidArgument(f"--space is given {len(space)} times; space has one or two dimensions")
    if result.tag and arguments.measures.agg:
        raise InvalidArgument("--tag writes rows, which have no measures; leave out --agg or --tag")
    if result.tag and picture.plot:
        raise InvalidArgument("--plot draws regions, and --tag asks for rows; leave out one of them")
    check_picture(picture, arguments.source.by)
    target = target_for(result)
    check_target(target, picture, **sources)
    return target


def deliver_regions(
    engine: Engine,
    planned: Regions,
    rows: DataFrame,
    arguments: RegionArguments,
    target: Target | None,
    text: str,
    where: str | None,
) -> None:
    """Print, write and draw what was planned; `text` describes the search in a picture."""
    from streamframes.cli.io.results import deliver
    from streamframes.cli.plots.regions import plot_of
    from streamframes.cli.plots.targets import draw

    if arguments.result.explain:
        say(planned.explain())
        return
    plot = plot_of(engine, rows, arguments, text, where)
    result = _result(planned, arguments, cached=plot is not None)
    deliver(engine, result, target, arguments.result, arguments.began)
    draw(engine, plot, result.table, arguments.picture)


def _result(planned: Regions, arguments: RegionArguments, *, cached: bool) -> Result:
    from streamframes.cli.options.schemes import measures_of

    source, prefix, measures = arguments.source, arguments.result.prefix, measures_of(arguments.measures)
    if arguments.result.tag:
        return Result(planned.tag(), True, [*source.by, *source.ts], "Tagging rows", "cannot tag the rows")
    table = planned.agg(**measures) if measures else planned.toDF()
    names = arguments.space.space
    lows = [f"{prefix}low"] if len(names) == 1 else [f"{prefix}low_{name}" for name in names]
    return Result(
        table.cache() if cached else table,
        False,
        [*source.by, f"{prefix}start", *lows],
        "Finding regions",
        "cannot find the regions",
        "regions",
        [f"{prefix}{name}" for name in _LONG],
    )
