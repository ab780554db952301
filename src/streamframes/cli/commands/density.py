"""`streamframes density`: where rows crowd together, and for how long."""

from __future__ import annotations

from typing import Any

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import MeasureOptions, SourceOptions
from streamframes.cli.options.regions import (
    DensityOptions,
    RegionInputOptions,
    RegionPictureOptions,
    RegionResultOptions,
    SpaceOptions,
)
from streamframes.cli.terminal import reporting
from streamframes.errors import InvalidArgument


@reporting
@grouped
def density(
    inputs: RegionInputOptions,
    source: SourceOptions,
    space: SpaceOptions,
    dense: DensityOptions,
    measures: MeasureOptions,
    result: RegionResultOptions,
    picture: RegionPictureOptions,
) -> None:
    """Find where rows are dense: cells of space that hold many rows, unit of time after unit of time."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.region_results import FillArguments

    asked = FillArguments(source, space, measures, result, picture)
    settings = _settings(dense, space)
    files = source_of(inputs.inputs, source.input_format)
    target = asked.target(INPUT=files)
    engine = start(source.master)
    rows = read(engine, files, source.derive)

    from streamframes.api.regions import density as search

    words = f"density {', '.join(f'{name}={value}' for name, value in settings.items())}"
    asked.deliver(engine, search(rows, **settings, **asked.at), rows, target, words, None)


def _settings(dense: DensityOptions, space: SpaceOptions) -> dict[str, Any]:
    """The arguments of `density()` that options give."""
    from streamframes.cli.io.region_results import one_or_all
    from streamframes.cli.options.values import duration

    if len(dense.bin) not in (1, len(space.space)):
        raise InvalidArgument(f"--bin is given {len(dense.bin)} times; give it once, or once for each --space")
    given = {
        "bin": one_or_all(dense.bin),
        "unit": duration(dense.unit),
        "above": dense.above,
        "min_area": dense.min_area,
        "min_duration": duration(dense.min_duration),
    }
    return {name: value for name, value in given.items() if value is not None}
