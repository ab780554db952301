"""`streamframes sessions`: sessions inside sessions, and aggregates that go up from one to the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import EventOptions, InputOptions
from streamframes.cli.options.sessions import SessionPictureOptions, SessionResultOptions, TreeOptions
from streamframes.cli.options.values import named
from streamframes.cli.terminal import reporting, say
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api.sessions import Sessions
    from streamframes.cli.io.results import Result
    from streamframes.spark import DataFrame

_NAMES = {"open": "open sessions", "diagnostics": "classes"}


@reporting
@grouped
def sessions(
    inputs: InputOptions,
    source: EventOptions,
    tree: TreeOptions,
    result: SessionResultOptions,
    picture: SessionPictureOptions,
) -> None:
    """Find sessions inside sessions: events flow down a tree of classes, and aggregates flow up."""
    from streamframes.api.sessions import sessions as plan
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.results import deliver, target_for
    from streamframes.cli.options.trees import classes_of, tree_of
    from streamframes.cli.plots.sessions import check_pictures, draw_sessions, draw_tree
    from streamframes.cli.plots.targets import check_target

    measures = named(tree.measure, "--measure", "visits=Call.count(ATT)")
    if result.show == "measures" and not measures:
        raise InvalidArgument("--show measures needs one; give it, like --measure 'visits=Call.count(ATT)'")
    check_pictures(picture)
    target = target_for(result, shown="--first")
    roots = tree_of(tree.tree)
    classes = classes_of(result.classes, roots)
    files = source_of(inputs.inputs, source.input_format)
    check_target(target, picture, INPUT=files)
    began = time.monotonic()
    engine = start(source)
    rows = read(engine, files, source.derive)
    planned = plan(rows, roots, ts=source.ts, measures=measures, prefix=result.prefix)
    draw_tree(picture.plot_tree, roots, measures)
    if result.explain:
        say(planned.explain())
        return
    found = _result(planned, result, classes, source.ts[0])
    deliver(engine, found, target, result, began)
    draw_sessions(engine, picture.plot, planned, roots, classes, result.prefix)


def _result(planned: Sessions, result: SessionResultOptions, classes: Sequence[str], ts: str) -> Result:
    from streamframes.cli.io.results import Result

    def some(table: DataFrame) -> DataFrame:
        return table.where(table["class"].isin(*classes)) if classes else table

    order = [f"{result.prefix}{name}" for name in ("start", "level", "id")]
    results: dict[str, tuple[Callable[[], DataFrame], list[str]]] = {
        "sessions": (lambda: planned.sessions(*classes), order),
        "open": (lambda: planned.open(*classes), order),
        "measures": (lambda: some(planned.measures()), [ts, "class", "measure", "id", "value"]),
        "diagnostics": (lambda: some(planned.diagnostics()), ["class"]),
    }
    find, by = results[result.show]
    return Result(
        find(), False, by, "Finding sessions", "cannot find the sessions", _NAMES.get(result.show, result.show)
    )
