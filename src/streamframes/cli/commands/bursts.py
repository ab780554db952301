"""`streamframes bursts`: watch many window lengths at once for high aggregates."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.bursts import (
    BurstPictureOptions,
    BurstResultOptions,
    SearchOptions,
    ThresholdOptions,
    ValueOptions,
    WindowOptions,
)
from streamframes.cli.options.common import SourceOptions
from streamframes.cli.options.values import duration
from streamframes.cli.terminal import reporting, say
from streamframes.errors import InvalidArgument
from streamframes.options import Search

if TYPE_CHECKING:
    from streamframes.api.bursts import Bursts
    from streamframes.cli.io.results import Result
    from streamframes.spark import DataFrame

_NAMES = {"latest": "rows with alarms", "any": "rows with alarms"}


@reporting
@grouped
def bursts(
    inputs: ValueOptions,
    source: SourceOptions,
    windows: WindowOptions,
    thresholds: ThresholdOptions,
    searching: SearchOptions,
    result: BurstResultOptions,
    picture: BurstPictureOptions,
) -> None:
    """Find bursts: at each row, every window of the last rows whose aggregate reaches its threshold."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.results import deliver, target_for
    from streamframes.cli.options.thresholds import thresholds_file, thresholds_of
    from streamframes.cli.options.windows import lengths_of
    from streamframes.cli.plots.bursts import plot_of
    from streamframes.cli.plots.targets import check_picture, check_target, draw

    given = thresholds_of(thresholds, windows)
    search = _search(searching)
    lengths = None if windows.windows is None else lengths_of(windows.windows)
    _check(inputs, windows, thresholds, result, picture)
    check_picture(picture, source.by)
    target = target_for(result, shown="--first")
    files = source_of([inputs.input], source.input_format)
    kept = thresholds_file(thresholds)
    check_target(target, picture, INPUT=files, **({} if kept is None else {"THRESHOLDS": kept}))
    began = time.monotonic()
    engine = start(source)
    rows = read(engine, files, source.derive)
    saved = None if kept is None else read(engine, kept, ())

    def plan() -> Bursts:
        from streamframes.api.bursts import bursts as search_bursts

        return search_bursts(
            rows,
            inputs.value,
            windows=_windows_in(saved) if saved is not None and lengths is None else lengths,
            thresholds=given if saved is None else saved,
            agg=windows.aggregate,
            ts=source.ts,
            by=source.by,
            unit=duration(windows.unit),
            search=search,
            prefix=result.prefix,
        )

    # The search is shown, and its alarms are drawn, with the windows of a file.
    planned = plan() if kept is None else engine.run("Reading thresholds", plan, failed=f"cannot use {kept.name}")
    if result.explain:
        say(planned.explain())
        return
    plot = plot_of(engine, planned, inputs.value, windows, picture)
    found = _result(planned, result.show, cached=plot is not None)
    deliver(engine, found, target, result, began)
    draw(engine, plot, found.table, picture)


def _check(
    inputs: ValueOptions,
    windows: WindowOptions,
    thresholds: ThresholdOptions,
    result: BurstResultOptions,
    picture: BurstPictureOptions,
) -> None:
    """Refuse options that contradict each other before anything is started."""
    if inputs.value is None and windows.aggregate != "count":
        raise InvalidArgument(f"--agg {windows.aggregate} needs VALUE, a column or an expression; write it after INPUT")
    if inputs.value is None and windows.unit is None:
        raise InvalidArgument(
            "--agg count needs VALUE, the condition that is counted, or --unit, to count rows by time"
        )
    if result.show == "thresholds" and thresholds.train_rows is None and thresholds.sigmas is None:
        raise InvalidArgument("--show thresholds shows what is learnt, and thresholds are given; give --train-rows")
    if result.show == "thresholds" and picture.plot is not None:
        raise InvalidArgument("--plot draws alarms, and --show thresholds asks for none; leave out one of them")


def _search(searching: SearchOptions) -> Search:
    """The search that options ask for; refuses those that would have no effect."""
    given = {"error": searching.error, "error_side": searching.error_side}
    errors = [name for name, value in given.items() if value is not None]
    if errors and searching.search == "exact":
        name = errors[0].replace("_", "-")
        raise InvalidArgument(f"--{name} belongs to --search all or monotonic; the exact search has no error")
    return Search(
        searching.search,
        Search.error if searching.error is None else searching.error,
        searching.error_side or Search.error_side,
    )


def _windows_in(thresholds: DataFrame) -> list[int] | None:
    """The windows of a table of thresholds; None where it has no such column."""
    if "window" not in thresholds.columns:
        return None
    lengths = thresholds.selectExpr("CAST(window AS BIGINT) AS window").distinct().orderBy("window").collect()
    return [row.window for row in lengths if row.window is not None] or None


def _result(planned: Bursts, shown: str, *, cached: bool) -> Result:
    from streamframes.cli.io.results import Result

    plan = planned.plan
    results = {
        "alarms": (planned.toDF, [plan.ts, "window"]),
        "runs": (planned.runs().toDF, [f"{plan.prefix}start", "window"]),
        "latest": (planned.latest, [plan.ts]),
        "any": (planned.any, [plan.ts]),
        "thresholds": (planned.learnt, ["window"]),
    }
    find, order = results[shown]
    table = find()
    return Result(
        table.cache() if cached else table,
        False,
        [*plan.by, *order],
        "Finding bursts",
        "cannot find the bursts",
        _NAMES.get(shown, shown),
    )
