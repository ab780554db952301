"""`streamframes regions`: where and when a condition holds, as regions of time and space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import InputOptions, MeasureOptions, SourceOptions
from streamframes.cli.options.regions import (
    RegionArguments,
    RegionOptions,
    RegionPictureOptions,
    RegionResultOptions,
    SpaceOptions,
    StationOptions,
)
from streamframes.cli.options.values import duration, number, one_or_all
from streamframes.cli.terminal import reporting
from streamframes.errors import InvalidArgument
from streamframes.region_options import Rectangles, Reports

if TYPE_CHECKING:
    from streamframes.api.regions import Regions
    from streamframes.cli.io.inputs import Source


@reporting
@grouped
def regions(
    inputs: InputOptions,
    source: SourceOptions,
    space: SpaceOptions,
    region: RegionOptions,
    stations: StationOptions,
    measures: MeasureOptions,
    result: RegionResultOptions,
    picture: RegionPictureOptions,
) -> None:
    """Find regions: where a condition holds at neighbouring places for a while, and print, write or draw them."""
    from streamframes.cli.commands.region_results import deliver_regions, target_of_regions
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of

    arguments = RegionArguments(source, space, measures, result, picture)
    settings = _settings(region, stations)
    files = source_of(inputs.inputs, source.input_format)
    listed, kept = places_of(stations, space)
    target = target_of_regions(arguments, INPUT=files, **({} if kept is None else {"PLACES": kept}))
    engine = start(source)
    rows = read(engine, files, source.derive)
    places = listed if kept is None else read(engine, kept, ())
    reports = Reports(
        places,
        stations.bad,
        stations.missing,
        stations.max_missing,
        stations.open_on or Reports.open_on,
        region.min_times,
        region.min_places,
        duration(region.max_gap),
        region.max_step,
    )

    def plan() -> Regions:
        from streamframes.api.regions import regions as search

        return search(
            rows,
            region.where,
            ts=source.ts,
            space=one_or_all(space.space),
            by=source.by,
            shape=Rectangles(region.prefer, region.method) if region.prefer or region.method else region.shape,
            min_duration=duration(region.min_duration),
            min_extent=one_or_all(region.min_extent) if region.min_extent else None,
            reports=reports,
            prefix=result.prefix,
        )

    # Places of a file are fetched when the search is planned.
    planned = plan() if kept is None else engine.run("Reading places", plan, failed=f"cannot use {kept.name}")
    # A bad report is drawn as none.
    good = rows if stations.bad is None else rows.where(f"not coalesce({stations.bad}, false)")
    text = f"{region.where}{''.join(f', {name}={value}' for name, value in settings.items())}"
    deliver_regions(engine, planned, good, arguments, target, text, region.where)


def _settings(region: RegionOptions, stations: StationOptions) -> dict[str, object]:
    """The options that are given, by the names of the arguments that they become; refuses what contradicts."""
    if region.shape == "connected":
        for name in ("prefer", "method"):
            if getattr(region, name) is not None:
                raise InvalidArgument(f"--{name} chooses among rectangles; leave it out with --shape connected")
    if stations.places_format is not None and stations.places is None:
        raise InvalidArgument("--places-format belongs to --places FILE")
    given = {
        "shape": region.shape,
        "method": region.method,
        "prefer": region.prefer,
        "min_duration": duration(region.min_duration),
        "min_extent": one_or_all(region.min_extent) if region.min_extent else None,
        "min_times": region.min_times,
        "min_places": region.min_places,
        "max_gap": duration(region.max_gap),
        "max_step": region.max_step,
        "bad": stations.bad,
        "missing": stations.missing,
        "max_missing": stations.max_missing,
        "open_on": stations.open_on,
    }
    return {name: value for name, value in given.items() if value is not None}


def places_of(stations: StationOptions, space: SpaceOptions) -> tuple[list[float] | None, Source | None]:
    """The places that are listed, or the file that holds them, found before Spark is started."""
    from streamframes.cli.io.inputs import source_of

    if stations.places is None:
        return None, None
    found = [number(part) for part in stations.places.split(",")]
    if any(each is None for each in found):
        return None, source_of([stations.places], stations.places_format, argument="--places", option="--places-format")
    if len(space.space) > 1:
        raise InvalidArgument("--places lists numbers, and --space has two columns; give a file with both")
    return [float(each) for each in found if each is not None], None
