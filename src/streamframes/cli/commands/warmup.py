"""`streamframes warmup`: compile ahead of time what queries will need, into a folder that can be shipped."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamframes.cli.terminal import note, reporting, say
from streamframes.errors import InvalidArgument, MissingExtra, StreamFramesError

if TYPE_CHECKING:
    from streamframes.cli.typical import Rows

# One partition: every query needs the same code again, and no second worker compiles it meanwhile.
_SETTINGS = {"spark.sql.shuffle.partitions": "1", "spark.streamframes.buckets": "1"}


@reporting
def warmup(
    verbs: Annotated[
        list[str] | None,
        typer.Argument(help="Only what these need, such as 'frames bursts'.", metavar="[VERB]...", show_default=False),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            help="Folder for compiled code, to be shipped. Workers find it by STREAMFRAMES_CACHE_DIR.",
            show_default="where this installation keeps it",
        ),
    ] = None,
) -> None:
    """Compile what most queries need, so that no worker has to; takes minutes, once for a kind of processor."""
    from streamframes.cli.typical import QUERIES

    chosen = verbs or list(QUERIES)
    for verb in chosen:
        if verb not in QUERIES:
            raise InvalidArgument(f"{verb!r} has nothing to compile; choose from {', '.join(QUERIES)}")
    folder = _folder(into)
    begun = time.monotonic()
    _run_all(chosen)
    kept = list(folder.glob("*.nbc"))
    size = sum(file.stat().st_size for file in kept) / 1e6
    say(f"{len(kept):,} compiled functions ({size:.0f} MB) are in {folder}, after {time.monotonic() - begun:.0f} s.")
    if into is not None:
        say(
            f"Workers find them with spark.executorEnv.STREAMFRAMES_CACHE_DIR={into.name} where {into.name} is shipped."
        )


def _folder(into: Path | None) -> Path:
    """Where compiled code will be kept, by this process and by the workers that it starts."""
    from streamframes.core.jit import folders

    if into is not None:
        os.environ["STREAMFRAMES_CACHE_DIR"] = str(into.absolute())
        folders.use_only(into.absolute())
    kept = folders.places().write
    if kept is None:
        raise StreamFramesError(f"no file can be written in {into or folders.INSTALLED}; choose a folder with --into")
    return kept


def _run_all(verbs: list[str]) -> None:
    """Run the queries of each verb one after the other, and verbs side by side on the cores of this machine."""
    from streamframes.cli.engine import start
    from streamframes.cli.options.common import SparkOptions
    from streamframes.cli.typical import rows_in_files

    engine = start(SparkOptions(master="local[*]"), **_SETTINGS)
    with rows_in_files(engine.spark) as rows, ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in [pool.submit(_run, verb, rows) for verb in verbs]:
            done.result()


def _run(verb: str, rows: Rows) -> None:
    from streamframes.cli.typical import QUERIES, carry_out
    from streamframes.spark.failures import plain_failures

    begun = time.monotonic()
    try:
        for name, query in QUERIES[verb].items():
            with plain_failures(f"{verb}, {name}"):
                carry_out(query, rows)
    except MissingExtra as error:
        note(f"{verb} left out: {error}")
        return
    note(f"{verb} {time.monotonic() - begun:.0f} s")
