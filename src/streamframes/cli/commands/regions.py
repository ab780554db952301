"""`streamframes regions`: where and when a condition holds, as regions of time and space."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import MeasureOptions, SourceOptions
from streamframes.cli.options.regions import (
    RegionInputOptions,
    RegionOptions,
    RegionPictureOptions,
    RegionResultOptions,
    SpaceOptions,
    StationOptions,
)
from streamframes.cli.terminal import reporting
from streamframes.errors import InvalidArgument
from streamframes.options import Rectangles, Reports

if TYPE_CHECKING:
    from streamframes.cli.io.inputs import Source


@reporting
@grouped
def regions(
    inputs: RegionInputOptions,
    source: SourceOptions,
    space: SpaceOptions,
    region: RegionOptions,
    stations: StationOptions,
    measures: MeasureOptions,
    result: RegionResultOptions,
    picture: RegionPictureOptions,
) -> None:
    """Find regions: where a condition holds at neighbouring places for a while, and print, write or draw them."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.region_results import FillArguments

    asked = FillArguments(source, space, measures, result, picture)
    settings = _settings(region, stations)
    files = source_of(inputs.inputs, source.input_format)
    places, kept = places_of(stations, space)
    target = asked.target(INPUT=files, **({} if kept is None else {"PLACES": kept}))
    engine = start(source.master)
    rows = read(engine, files, source.derive)
    places = places if kept is None else read(engine, kept, ())

    def plan() -> Any:
        from streamframes.api.regions import regions as search

        return search(rows, region.where, **_arguments(settings, places), **asked.at)

    # Places of a file are fetched when the search is planned.
    planned = plan() if kept is None else engine.run("Reading places", plan, failed=f"cannot use {kept.name}")
    # A bad report is drawn as none.
    good = rows if stations.bad is None else rows.where(f"not coalesce({stations.bad}, false)")
    words = f"{region.where}{''.join(f', {name}={value}' for name, value in settings.items())}"
    asked.deliver(engine, planned, good, target, words, region.where)


def _settings(region: RegionOptions, stations: StationOptions) -> dict[str, Any]:
    """The arguments of `regions()` that options give; refuses those that contradict each other."""
    from streamframes.cli.io.region_results import one_or_all
    from streamframes.cli.options.values import duration

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
        "min_extent": one_or_all(region.min_extent),
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


def _arguments(settings: dict[str, Any], places: Any) -> dict[str, Any]:
    """The settings as arguments of `regions()`, those of reports and rectangles in their values."""
    reports = {name: settings[name] for name in settings if name in {each.name for each in fields(Reports)}}
    rectangles = {name: settings[name] for name in ("prefer", "method") if name in settings}
    others = {name: value for name, value in settings.items() if name not in (*reports, *rectangles)}
    if rectangles:
        others["shape"] = Rectangles(**rectangles)
    return {**others, "reports": Reports(places=places, **reports)}


def places_of(stations: StationOptions, space: SpaceOptions) -> tuple[Any, Source | None]:
    """The places that are listed, or the file that holds them, found before Spark is started."""
    from streamframes.cli.io.inputs import source_of
    from streamframes.cli.options.values import number

    if stations.places is None:
        return None, None
    found = [number(part) for part in stations.places.split(",")]
    if any(each is None for each in found):
        return None, source_of([stations.places], stations.places_format, argument="--places", option="--places-format")
    if len(space.space) > 1:
        raise InvalidArgument("--places lists numbers, and --space has two columns; give a file with both")
    return [float(each) for each in found if each is not None], None
