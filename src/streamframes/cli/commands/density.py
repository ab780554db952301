"""`streamframes density`: where rows crowd together, and for how long."""

from __future__ import annotations

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import InputOptions, MeasureOptions, SourceOptions
from streamframes.cli.options.regions import (
    DensityOptions,
    RegionArguments,
    RegionPictureOptions,
    RegionResultOptions,
    SpaceOptions,
)
from streamframes.cli.options.values import duration, one_or_all
from streamframes.cli.terminal import reporting
from streamframes.errors import InvalidArgument


@reporting
@grouped
def density(
    inputs: InputOptions,
    source: SourceOptions,
    space: SpaceOptions,
    dense: DensityOptions,
    measures: MeasureOptions,
    result: RegionResultOptions,
    picture: RegionPictureOptions,
) -> None:
    """Find where rows are dense: cells of space that hold many rows, unit of time after unit of time."""
    from streamframes.cli.commands.region_results import deliver_regions, target_of_regions
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of

    arguments = RegionArguments(source, space, measures, result, picture)
    if len(dense.bin) not in (1, len(space.space)):
        raise InvalidArgument(f"--bin is given {len(dense.bin)} times; give it once, or once for each --space")
    files = source_of(inputs.inputs, source.input_format)
    target = target_of_regions(arguments, INPUT=files)
    engine = start(source)
    rows = read(engine, files, source.derive)

    from streamframes.api.regions import density as search

    planned = search(
        rows,
        ts=source.ts,
        space=one_or_all(space.space),
        bin=one_or_all(dense.bin),
        unit=duration(dense.unit),
        above=dense.above,
        by=source.by,
        min_area=dense.min_area,
        min_duration=duration(dense.min_duration),
        prefix=result.prefix,
    )
    deliver_regions(engine, planned, rows, arguments, target, f"density {_described(dense)}", None)


def _described(dense: DensityOptions) -> str:
    """The options that are given, for a picture."""
    given = {
        "bin": one_or_all(dense.bin),
        "unit": duration(dense.unit),
        "above": dense.above,
        "min_area": dense.min_area,
        "min_duration": duration(dense.min_duration),
    }
    return ", ".join(f"{name}={value}" for name, value in given.items() if value is not None)
