"""Results of a search in time and space: what both of its commands do with their options and with what they find."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from streamframes.cli.io.results import Result
from streamframes.cli.options.common import MeasureOptions, SourceOptions
from streamframes.cli.options.regions import RegionPictureOptions, RegionResultOptions, SpaceOptions
from streamframes.cli.terminal import say
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.cli.engine import Engine
    from streamframes.cli.io.inputs import Source
    from streamframes.cli.io.outputs import Target
    from streamframes.spark import DataFrame

# Shapes are for programs, not for reading.
_LONG = ("extents", "hull", "outline")
_AXES = 2


def one_or_all(values: Sequence[Any]) -> Any:
    """What stands for every dimension, one for each, or nothing.

    >>> one_or_all([2.0]), one_or_all(["x", "y"]), one_or_all([])
    (2.0, ['x', 'y'], None)
    """
    return list(values) if len(values) > 1 else next(iter(values), None)


@dataclass(frozen=True)
class FillArguments:
    """The options that both commands take."""

    source: SourceOptions
    space: SpaceOptions
    measures: MeasureOptions
    result: RegionResultOptions
    picture: RegionPictureOptions
    began: float = field(default_factory=time.monotonic)

    @property
    def at(self) -> dict[str, Any]:
        """Where and when rows are, as `regions()` and `density()` take it."""
        return {
            "ts": self.source.ts,
            "space": one_or_all(self.space.space),
            "by": self.source.by,
            "prefix": self.result.prefix,
        }

    def target(self, **sources: Source) -> Target | None:
        """Where results go; refuses, before anything is started, options that contradict each other."""
        from streamframes.cli.io.results import target_for
        from streamframes.cli.options.planning import measures_of
        from streamframes.cli.plots.targets import check_picture, check_target

        measures_of(self.measures)
        if len(self.space.space) > _AXES:
            raise InvalidArgument(f"--space is given {len(self.space.space)} times; space has one or two dimensions")
        if self.result.tag and self.measures.agg:
            raise InvalidArgument("--tag writes rows, which have no measures; leave out --agg or --tag")
        if self.result.tag and self.picture.plot:
            raise InvalidArgument("--plot draws regions, and --tag asks for rows; leave out one of them")
        check_picture(self.picture, self.source.by)
        target = target_for(self.result)
        check_target(target, self.picture, **sources)
        return target

    def deliver(
        self, engine: Engine, planned: Any, rows: DataFrame, target: Target | None, words: str, where: str | None
    ) -> None:
        """Print, write and draw what was planned."""
        from streamframes.cli.io.results import deliver
        from streamframes.cli.plots.regions import plot_of
        from streamframes.cli.plots.targets import draw

        if self.result.explain:
            say(planned.explain())
            return
        plot = plot_of(engine, rows, self, words, where)
        found = self._result(planned, cached=plot is not None)
        deliver(engine, found, target, self.result, self.began)
        draw(engine, plot, found.table, self.picture)

    def _result(self, planned: Any, *, cached: bool) -> Result:
        from streamframes.cli.options.planning import measures_of

        prefix, measures = self.result.prefix, measures_of(self.measures)
        if self.result.tag:
            return Result(
                planned.tag(), True, [*self.source.by, *self.source.ts], "Tagging rows", "cannot tag the rows"
            )
        table = planned.agg(**measures) if measures else planned.toDF()
        names = self.space.space
        lows = [f"{prefix}low"] if len(names) == 1 else [f"{prefix}low_{name}" for name in names]
        order = [*self.source.by, f"{prefix}start", *lows]
        return Result(
            table.cache() if cached else table,
            False,
            order,
            "Finding regions",
            "cannot find the regions",
            "regions",
            [f"{prefix}{name}" for name in _LONG],
        )
