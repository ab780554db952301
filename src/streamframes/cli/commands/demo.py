"""`streamframes demo`: the router example from end to end, checked against the truth."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from streamframes.cli.commands.planted import MIN_DURATION, WHERE, compare
from streamframes.cli.terminal import note, reporting, say, show
from streamframes.errors import InvalidArgument, MissingExtra, StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.data import Generated

MEASURES = {"pkts": "avg(total_pkts)", "worst": "max(drop_pct)"}
_CODE = f"""\
  scheme = sf.Threshold("{WHERE}", min_duration="{MIN_DURATION}")
  loss = sf.frames(reports, scheme, ts="rpt_time", by="router")
  loss.agg(pkts="avg(total_pkts)", worst="max(drop_pct)")"""
_SHOWN = ("router", "frame_start", "frame_end", "frame_rows", *MEASURES)
_FIRST = 8
ROWS, STREAM_ROWS = 100_000, 10_000


@reporting
def demo(
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=10_000_000,
            help="Reports of all routers together.",
            show_default=f"{ROWS}, with --stream {STREAM_ROWS}",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same reports.")] = 0,
    output: Annotated[Path, typer.Option(help="Folder for the reports and the picture.")] = Path("streamframes-demo"),
    format: Annotated[
        Literal["png", "html"] | None, typer.Option(help="Format of the picture.", show_default="png")
    ] = None,
    stream: Annotated[
        bool, typer.Option("--stream", help="Let the reports arrive file by file, and show frames as they grow.")
    ] = False,
) -> None:
    """Find episodes of packet loss in made-up reports of routers, and draw them or watch them come."""
    if not stream:
        _table(rows or ROWS, seed, output, format or "png")
        return
    if format is not None:
        raise InvalidArgument(f"--format {format} is that of the picture, and --stream draws none; leave it out")
    from streamframes.cli.commands.demo_stream import watch

    watch(rows or STREAM_ROWS, seed, output)


def _table(rows: int, seed: int, output: Path, format: str) -> None:
    from rich.markup import escape

    from streamframes.data import routers

    made = routers(rows, seed=seed)
    reports = _write(made, output / "reports.parquet")
    say(f"{rows:,} reports of 10 routers, one every 20 seconds each, are in [bold]{reports}[/bold].")
    say("When did a router drop more than 0.3 % of its packets for two minutes or more?\n")
    say(f"[cyan]{_CODE}[/cyan]\n")
    found = _find(reports)
    show(_SHOWN, [[row[name] for name in _SHOWN] for row in found.slice(0, _FIRST).to_pylist()])
    if found.num_rows > _FIRST:
        say(f"... and {found.num_rows - _FIRST:,} more.\n")
    compare(found, made.episodes)
    try:
        say(f"\nPicture: [bold]{_draw(made, found, output / f'frames.{format}')}[/bold]")
    except MissingExtra as error:
        note(f"\nNo picture: {escape(str(error))}")
    say("Next, ask the reports something else:\n")
    say(
        f"  streamframes frames {shlex.quote(str(reports))} --ts rpt_time --by router "
        "--aggregate 'sum(pkt_bytes) >= 1e10' --agg 'worst=max(drop_pct)'"
    )


def _write(made: Generated, path: Path) -> Path:
    import pyarrow.parquet as pq

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(made.table, path)
    except OSError as error:
        raise StreamFramesError(f"cannot write {path}: {error.strerror or error}") from error
    return path


def _find(reports: Path) -> pa.Table:
    from streamframes.api.frames import frames
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import literally
    from streamframes.cli.options.common import SparkOptions
    from streamframes.core.schemes import Threshold

    engine = start(SparkOptions())
    rows = engine.run("Reading", lambda: engine.spark.read.parquet(literally(reports)))
    loss = frames(rows, Threshold(WHERE, min_duration=MIN_DURATION), ts="rpt_time", by="router")
    found = loss.agg(**MEASURES).orderBy("router", "frame_start")
    return engine.run("Finding frames", found.toArrow)


def _draw(made: Generated, found: pa.Table, path: Path) -> Path:
    """Draw the first day of the router with most frames."""
    from datetime import timedelta

    import pyarrow.compute as pc

    from streamframes.draw import Levels, draw_frames, save_picture

    counts = found["router"].value_counts().to_pylist()
    router = max(counts, key=lambda each: each["counts"])["values"] if counts else made.table["router"][0].as_py()
    reports = made.table.filter(pc.equal(made.table["router"], router))
    day_end = reports["rpt_time"][0].as_py() + timedelta(days=1)
    reports = reports.filter(pc.less(reports["rpt_time"], day_end))
    frames = found.filter(pc.and_(pc.equal(found["router"], router), pc.less(found["frame_end"], day_end)))
    figure = draw_frames(
        reports,
        frames,
        ts="rpt_time",
        value="drop_pct",
        label="drop_pct (% of packets)",
        levels=Levels([0.3], "threshold"),
        title=f"Packet loss of router {router}",
        subtitle=f"Threshold({WHERE!r}, min_duration={MIN_DURATION!r})",
    )
    return save_picture(figure, path, frames=frames, title=f"Packet loss of router {router}")
