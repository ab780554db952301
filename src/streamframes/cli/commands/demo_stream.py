"""`streamframes demo --stream`: reports arrive file by file, and frames appear and grow until they end.

files of reports ──> query, one file a micro-batch ──> frames by id ──> a table that is drawn again, or lines
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamframes.cli.commands.planted import MIN_DURATION, WHERE, compare
from streamframes.cli.terminal import redrawing, say, table_of
from streamframes.errors import StreamFramesError
from streamframes.options import Stream

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.table import Table

    from streamframes.cli.engine import Engine
    from streamframes.data import Generated

FILES, LATENESS = 20, "1 minute"
_TICK, _LATENESS = timedelta(seconds=20), timedelta(minutes=1)
# A twentieth of the reports is on its way for up to 50 seconds, which the lateness allows.
_DELAYED, _LONGEST_DELAY = 0.05, 50_000_000
_MARK, _REPORTS, _CHECKPOINT = "made-by-streamframes-demo", "reports", "checkpoint"
_LATEST = 12
_SHOWN = {"router": "router", "frame_start": "start", "frame_end": "end so far", "frame_rows": "rows", "worst": "worst"}
_CODE = f"""\
  reports = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet("{{reports}}")
  scheme = sf.Threshold("{WHERE}", min_duration="{MIN_DURATION}")
  loss = sf.frames(reports, scheme, ts="rpt_time", by="router",
                   stream=sf.Stream("{LATENESS}", fragments=True))
  upserts = loss.agg(worst="max(drop_pct)").writeStream.foreachBatch(upsert_by_frame_id)
  upserts.option("checkpointLocation", "{{checkpoint}}").trigger(availableNow=True).start()"""

Row = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """What a micro-batch read and reported, and what is open and waiting after it."""

    number: int
    rows: int
    reported: tuple[Row, ...]
    open: int
    waiting: int
    late: int

    def __str__(self) -> str:
        grown = sum(not row["frame_final"] for row in self.reported)
        return (
            f"batch {self.number}: rows read {self.rows:,}, fragments {grown}, final {len(self.reported) - grown}, "
            f"open frames {self.open}, waiting rows {self.waiting:,}, late rows {self.late:,}"
        )


def watch(rows: int, seed: int, output: Path) -> None:
    """Show the frames of a stream of reports while it is read, and compare them with the truth."""
    from rich.markup import escape

    from streamframes.cli.engine import start
    from streamframes.cli.options.common import SparkOptions
    from streamframes.data import routers

    # More loss than elsewhere, so that there is something to see in every file.
    made = routers(rows, seed=seed, calm=120)
    folder = fresh(output / "stream")
    files = _write(arrivals(made.table, seed), folder / _REPORTS)
    reports, checkpoint = (escape(str(folder / name)) for name in (_REPORTS, _CHECKPOINT))
    say(f"{rows:,} reports of 10 routers, some delayed, arrive as {files} files in [bold]{reports}[/bold].")
    say("When does a router drop more than 0.3 % of its packets for two minutes or more?\n")
    say(f"[cyan]{_CODE.format(reports=reports, checkpoint=checkpoint)}[/cyan]\n")
    # Every partition has a store of its own to commit; ten routers need few.
    engine = start(SparkOptions(), spark_sql_shuffle_partitions="2")
    _conclude(_follow(_batches(engine, folder)), made)


def fresh(folder: Path) -> Path:
    """The folder, without what an earlier demo left; one with anything else is refused."""
    mark = folder / _MARK
    if folder.exists() and not mark.exists() and any(folder.iterdir()):
        raise StreamFramesError(f"{folder} exists already and was not made by the demo; give another --output")
    folder.mkdir(parents=True, exist_ok=True)
    mark.touch()
    for name in (_REPORTS, _CHECKPOINT):
        with suppress(FileNotFoundError):
            shutil.rmtree(folder / name)
    return folder


def arrivals(reports: pa.Table, seed: int) -> pa.Table:
    """The reports in the order of their arrival: that of their time, but for a few that are delayed."""
    import numpy as np

    random = np.random.default_rng(seed)
    delayed = random.random(len(reports)) < _DELAYED
    delay = np.where(delayed, random.integers(0, _LONGEST_DELAY, len(reports)), 0)
    sent = reports["rpt_time"].to_numpy().astype("datetime64[us]").astype(np.int64)
    return reports.take(np.argsort(sent + delay, kind="stable"))


def _write(reports: pa.Table, folder: Path) -> int:
    import pyarrow.parquet as pq

    folder.mkdir()
    files = min(FILES, len(reports))
    bounds = [number * len(reports) // files for number in range(files + 1)]
    first = int(time.time()) - files
    for number, (low, high) in enumerate(pairwise(bounds)):
        file = folder / f"{number:02}.parquet"
        pq.write_table(reports.slice(low, high - low), file)
        # Spark reads files in the order of their times.
        os.utime(file, (first + number, first + number))
    return files


def _batches(engine: Engine, folder: Path) -> Iterator[Batch]:
    """Run the query until all files are read; a batch as soon as it is done."""
    from streamframes.spark.failures import plain_failures
    from streamframes.spark.watching.batches import batch_of, progress_until_end

    reported: dict[int, list[Row]] = {}
    with plain_failures("the stream failed"):
        query = _start(engine, folder, reported)
        try:
            for done in map(batch_of, progress_until_end(query)):
                if done is None or not done.figures:
                    continue
                frames = tuple(reported.pop(done.number, ()))
                counts = (int(done.figures[name]) for name in ("open_frames", "waiting_rows", "late_rows"))
                yield Batch(done.number, done.input_rows, frames, *counts)
        finally:
            query.stop()


def _start(engine: Engine, folder: Path, reported: dict[int, list[Row]]) -> Any:
    from streamframes.api.frames import frames
    from streamframes.cli.io.inputs import literally
    from streamframes.core.schemes import Threshold

    reports = literally(folder / _REPORTS)
    schema = engine.spark.read.parquet(reports).schema
    stream = engine.spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(reports)
    scheme = Threshold(WHERE, min_duration=MIN_DURATION)
    loss = frames(stream, scheme, ts="rpt_time", by="router", stream=Stream(LATENESS, fragments=True))

    def keep(rows: Any, number: int) -> None:
        reported[number] = rows.toArrow().to_pylist()

    upserts = loss.agg(worst="max(drop_pct)").writeStream.foreachBatch(keep)
    checkpoint = str((folder / _CHECKPOINT).absolute())
    return upserts.option("checkpointLocation", checkpoint).trigger(availableNow=True).start()


def _follow(batches: Iterable[Batch]) -> dict[int, Row]:
    """Draw the latest frames after each batch, or write a line; returns all frames by id."""
    from rich.spinner import Spinner
    from rich.text import Text

    frames: dict[int, Row] = {}
    with redrawing() as draw:
        if draw is not None:
            draw(Spinner("dots", "Waiting for the first batch"))
        for batch in batches:
            frames.update({row["frame_id"]: row for row in batch.reported})
            if draw is None:
                say(str(batch))
            else:
                draw(latest(frames.values()), Text(f"\n{batch}"))
    return frames


def latest(frames: Iterable[Row]) -> Table:
    """The frames that ended last, or have not, as a table."""
    last = sorted(frames, key=lambda row: row["frame_end"])[-_LATEST:]
    rows = [
        [*(row[name] for name in _SHOWN), state(row)]
        for row in sorted(last, key=lambda row: (row["frame_start"], row["router"]))
    ]
    return table_of([*_SHOWN.values(), "state"], rows)


def state(row: Row) -> str:
    """How far a frame is, with markup.

    >>> state({"frame_final": False, "frame_fragment": 2})
    '[yellow]open, fragment 2[/yellow]'
    """
    return "[green]final[/green]" if row["frame_final"] else f"[yellow]open, fragment {row['frame_fragment']}[/yellow]"


def _conclude(frames: Mapping[int, Row], made: Generated) -> None:
    import pyarrow as pa

    final = [row for row in frames.values() if row["frame_final"]]
    ended = certain(made)
    say("")
    compare(pa.Table.from_pylist(final, ended.schema), ended, which="that were planted and have ended")
    seen = sum(row["frame_fragment"] > 0 for row in final)
    going_on = len(made.episodes) - len(ended)
    say(f"Reported as fragments while they went on: {seen:,}. Planted, and open where the reports end: {going_on:,}.")


def certain(made: Generated) -> pa.Table:
    """The planted episodes that end before the last watermark; of later ones a delayed report might still come."""
    import pyarrow.compute as pc

    episodes, last = made.episodes, pc.max(made.table["rpt_time"]).as_py()
    closed = pc.equal(episodes["frame_closed_by"], "condition")
    # What ends an episode is the report that follows it, a tick later.
    return episodes.filter(pc.and_(closed, pc.less(episodes["frame_end"], last - _LATENESS - _TICK)))
