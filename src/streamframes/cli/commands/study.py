"""`streamframes study`: repeat what the papers claim, on made-up data or on a file."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import RESULT, ReadingOptions, option
from streamframes.cli.terminal import note, reporting, say, show
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    from streamframes.cli.engine import Engine
    from streamframes.study.kit import Lab, Study
    from streamframes.study.report.outcome import Outcome
    from streamframes.study.report.page import Done

ALL = "all"
_DATA = "Data"


@dataclass(frozen=True)
class StudyOptions:
    """Which study, of what."""

    name: Annotated[
        str, typer.Argument(help="One of those below, or all of them: all.", metavar="NAME", show_default=False)
    ]
    data: Annotated[
        list[str],
        option(_DATA, "Parquet, CSV or JSON lines instead of made-up rows; repeatable.", "--data", metavar="FILE"),
    ] = field(default_factory=list)
    rows: Annotated[int | None, option(_DATA, "How many rows to make; each study has a number of its own.")] = None
    seed: Annotated[int, option(_DATA, "The same seed, the same rows.")] = 0
    out: Annotated[Path, option(RESULT, "Folder for tables, numbers and pictures; streamframes-study.")] = Path(
        "streamframes-study"
    )


@reporting
@grouped
def study(options: StudyOptions, reading: ReadingOptions) -> None:
    """Repeat a claim of the papers: print its table and verdict, save its figure and numbers."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import source_of
    from streamframes.study import NAMES
    from streamframes.study import study as find

    _check(options, reading)
    if options.name == ALL:
        chosen = [find(name) for name in NAMES]
        max(chosen, key=lambda each: each.least).check_rows(options.rows)
        _all(chosen, start(reading), options)
        return
    one = _known(options.name)
    source = source_of(options.data, reading.input_format, argument="--data") if options.data else None
    one.check_rows(options.rows)
    engine = start(reading)
    data = None
    if source is not None:
        from streamframes.cli.io.inputs import read

        data = read(engine, source, reading.derive, replace=True)
    lab = one.lab(
        engine.spark, data=data, source=" ".join(options.data), rows=options.rows, seed=options.seed, run=engine.run
    )
    outcome, seconds = _run(one, lab)
    _show(one, outcome)
    _save(one, outcome, seconds, options.out)


def _check(options: StudyOptions, reading: ReadingOptions) -> None:
    """Refuse options that contradict each other, before anything starts."""
    if options.data and options.rows is not None:
        raise InvalidArgument(
            f"--rows {options.rows} is how many rows are made, and --data brings its own; leave one out"
        )
    if options.name == ALL and options.data:
        raise InvalidArgument("study all makes its own rows; give --data to one study")
    for name, given in (("--with", reading.derive), ("--input-format", reading.input_format)):
        if given and not options.data:
            raise InvalidArgument(f"{name} is about the files of --data; give these too")
    if options.seed < 0:
        raise InvalidArgument(f"--seed {options.seed} must be at least 0")
    for place in (options.out, *options.out.parents):
        if place.exists() and not place.is_dir():
            raise InvalidArgument(f"--out {options.out} cannot be made, since {place} is a file; give a folder")


def _known(name: str) -> Study:
    from difflib import get_close_matches

    from streamframes.study import NAMES
    from streamframes.study import study as find

    if name not in NAMES:
        near = get_close_matches(name, NAMES, n=1)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise InvalidArgument(f"there is no study {name!r}{hint} There are {', '.join(NAMES)}, and all")
    return find(name)


def _run(chosen: Study, lab: Lab) -> tuple[Outcome, float]:
    start = time.perf_counter()
    outcome = chosen.run(lab)
    return outcome, time.perf_counter() - start


def _show(chosen: Study, outcome: Outcome) -> None:
    from rich.markup import escape

    say(f"[bold]{escape(chosen.title)}[/bold]")
    say(escape(f"{chosen.paper}. {outcome.data}."))
    for table in outcome.tables:
        say(f"\n{escape(table.title)}")
        show(table.columns, table.rows)
    say("")
    show(["claim", "found", "verdict"], [[claim.says, claim.figure, claim.verdict] for claim in outcome.claims])
    for line in outcome.notes:
        say(escape(line))


def _save(chosen: Study, outcome: Outcome, seconds: float, folder: Path) -> None:
    from streamframes.study.report.saving import save

    for path in save(chosen, outcome, folder, seconds=seconds):
        note(f"saved {path}")


def _all(chosen: list[Study], engine: Engine, options: StudyOptions) -> None:
    """Every study, one after the other; one that fails is reported and does not keep others from running."""
    from streamframes.study.report.page import Done, write_page
    from streamframes.study.report.saving import save

    done: list[Done] = []
    for number, each in enumerate(chosen, start=1):
        note(f"study {number} of {len(chosen)}: {each.name}")
        start = time.perf_counter()
        try:
            lab = each.lab(engine.spark, rows=options.rows, seed=options.seed, run=engine.run)
            outcome, seconds = _run(each, lab)
        except StreamFramesError as error:
            done.append(Done(each, None, time.perf_counter() - start, str(error)))
            note(f"study {each.name} failed: {error}")
            continue
        save(each, outcome, options.out, seconds=seconds)
        done.append(Done(each, outcome, seconds))
    _summarise(done)
    note(f"saved {write_page(done, options.out)}")


def _summarise(done: list[Done]) -> None:
    show(
        ["study", "claim", "found", "verdict"],
        [
            [each.study.name, claim.says, claim.figure, claim.verdict]
            for each in done
            for claim in (each.outcome.claims if each.outcome is not None else ())
        ],
    )
    failed = [each.study.name for each in done if each.outcome is None]
    if failed:
        raise StreamFramesError(f"{len(failed)} of {len(done)} studies failed: {', '.join(failed)}")
