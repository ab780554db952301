"""Patterns: the same frames by window functions and by pattern matching, which the paper could not compare."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import SubprocessError
from tempfile import TemporaryDirectory

from matplotlib.figure import Figure

from streamframes.study.baselines import generated, spark_queries
from streamframes.study.baselines.rivals import CANNOT, DUCKDB, FLINK, OURS, SPARK, Found, Rival, rivals_of
from streamframes.study.baselines.tasks import TASKS, Task
from streamframes.study.kit import Lab, Need, Study
from streamframes.study.report.charts import COLOURS, dress, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Row, Table

COLUMNS = ("task", "way", "frames", "frame_rows", "seconds", "lines", "remark")
_KEYS, _ROUNDS = 100, 2
_ABOUT = 1.25


def run(lab: Lab) -> Outcome:
    """Let all ways do all tasks on the same files: first they count, then they take turns."""
    with _files(lab) as files:
        rivals = [rival for task in TASKS for rival in rivals_of(task, lab.spark, files)]
        found = [_count(lab, rival) for rival in rivals]
        best = _race(lab, rivals)
        matched = {rival.task for rival in rivals if not rival.whole}
        open_at_end = {task.name: _open_at_end(lab, task, files) for task in TASKS if task.name in matched}
    rows = [_row(rival, *said, best) for rival, said in zip(rivals, found, strict=True)]
    table = Table("patterns", "The same frames by other ways", COLUMNS, rows)
    queries = [[rival.task, rival.way, rival.lines, rival.text.strip()] for rival in rivals if rival.text]
    text = Table("queries", "What is to be written", ("task", "way", "lines", "text"), queries)
    return Outcome(
        data=lab.named(f"{lab.rows:,} made-up rows of {_KEYS} keys in {len(files)} Parquet files"),
        tables=[table, text],
        pictures=[Picture("patterns", "Run time and lines of each way", lambda: _draw(table))],
        claims=_claims(table, rivals, open_at_end),
        settings={"keys": _KEYS, "rounds": _ROUNDS, "tasks": {task.name: repr(task.scheme) for task in TASKS}},
        notes=_notes(table),
    )


@contextmanager
def _files(lab: Lab) -> Iterator[list[str]]:
    """The rows as Parquet files, which all ways read."""
    with TemporaryDirectory(prefix="streamframes-patterns-") as folder:
        if lab.data is None:
            yield lab.run("Making rows", lambda: generated.files(generated.Shape(lab.rows, _KEYS), Path(folder)))
            return
        path = Path(folder) / "rows"
        columns = ["CAST(key AS STRING) AS key", "ts", "CAST(value AS DOUBLE) AS value"]
        columns.append("CAST(volume AS BIGINT) AS volume" if "volume" in lab.data.columns else "1L AS volume")
        rows = lab.data.selectExpr(*columns).dropna()
        lab.run("Writing rows", lambda: rows.write.parquet(path.as_uri()))
        yield sorted(str(file) for file in path.glob("*.parquet"))


def _count(lab: Lab, rival: Rival) -> tuple[Found | None, str]:
    """What a way finds, or why it does not; this warms it up."""
    if rival.count is None:
        return None, rival.why
    try:
        return lab.run(f"{rival.task}: {rival.way}", rival.count), rival.why
    except SubprocessError as error:
        return None, f"failed: {error}"


def _race(lab: Lab, rivals: Sequence[Rival]) -> dict[tuple[str, str], float]:
    """The best time of each; they take turns, so that whatever else the machine does falls on all."""
    best: dict[tuple[str, str], float] = {}
    for number in range(1, _ROUNDS + 1):
        for rival in rivals:
            if rival.run is not None:
                took = lab.seconds(f"Round {number} of {_ROUNDS}, {rival.task}: {rival.way}", rival.run)
                best[rival.task, rival.way] = min(took, best.get((rival.task, rival.way), took))
    return best


def _open_at_end(lab: Lab, task: Task, files: Sequence[str]) -> Found:
    """The frames that only the end of the data has closed."""
    found = spark_queries.ours(task, lab.spark.read.parquet(*files)).where("frame_closed_by = 'end of data'")
    counted = lab.fetch("Looking for open frames", found.selectExpr("count(*) AS n", "sum(frame_rows) AS rows"))
    return Found(counted["n"][0].as_py(), counted["rows"][0].as_py() or 0)


def _row(rival: Rival, found: Found | None, why: str, best: dict[tuple[str, str], float]) -> list[object]:
    frames, rows = (found.frames, found.rows) if found else (None, None)
    seconds = best.get((rival.task, rival.way), found.seconds if found else None)
    return [rival.task, rival.way, frames, rows, None if seconds is None else round(seconds, 2), rival.lines, why]


def _claims(table: Table, rivals: Sequence[Rival], open_at_end: dict[str, Found]) -> list[Claim]:
    partial = {(rival.task, rival.way) for rival in rivals if not rival.whole}
    ours = {row["task"]: row for row in table.where(way=OURS)}
    others = [row for row in table.where() if row["way"] != OURS]
    counted = [row for row in others if row["frames"] is not None]

    def agrees(row: Row) -> bool:
        mine, left = ours[row["task"]], Found(0, 0)
        if (row["task"], row["way"]) in partial:
            left = open_at_end[row["task"]]
        expected = (mine["frames"] - left.frames, mine["frame_rows"] - left.rows)
        return bool(expected == (row["frames"], row["frame_rows"]))

    on_spark = [row for row in others if row["way"] == SPARK and row["seconds"]]
    times = [ours[row["task"]]["seconds"] / row["seconds"] for row in on_spark]
    written = [row for row in others if row["lines"]]
    return [
        Claim(
            "All ways that can run find the same frames.",
            "; ".join(f"{task}: {row['frames']:,} frames" for task, row in ours.items())
            + f"; {sum(map(agrees, counted))} of {len(counted)} other ways find the same",
            all(map(agrees, counted)) if counted else None,
        ),
        Claim(
            "Frames are found about as fast as by window functions of the same engine, or faster.",
            ", ".join(f"{row['task']}: {factor:.2f} times" for row, factor in zip(on_spark, times, strict=True))
            + " the time of Spark SQL",
            max(times) <= _ABOUT,
        ),
        Claim(
            "A frame is less to write than a query for it.",
            f"{max(row['lines'] for row in ours.values())} line against "
            f"{min(row['lines'] for row in written)} to {max(row['lines'] for row in written)}",
            all(row["lines"] > ours[row["task"]]["lines"] for row in written),
        ),
    ]


def _notes(table: Table) -> list[str]:
    notes = ["Where a frame starts in delta and aggregate depends on all frames before, so window functions cannot."]
    absent = dict.fromkeys((row["way"], row["remark"]) for row in table.where() if row["remark"] not in ("", CANNOT))
    notes += [f"{way}: {remark}." for way, remark in absent]
    notes.append(
        "MATCH_RECOGNIZE needs the row after a frame: frames that are open at the end of the data are not matched."
    )
    return notes


def _draw(table: Table) -> Figure:
    figure, axes = panels(2, width=11, height=4.6)
    tasks = list(dict.fromkeys(table.column("task")))
    contenders = [OURS, SPARK, "DuckDB", FLINK]
    for place, column, label in ((axes[0], "seconds", "run time (s)"), (axes[1], "lines", "lines to write")):
        for nth, (way, colour) in enumerate(zip(contenders, COLOURS, strict=False)):
            shown = [(task, row[column]) for task in tasks for row in table.where(task=task) if way in row["way"]]
            have = [(tasks.index(task) + 0.2 * (nth - 1.5), value) for task, value in shown if value is not None]
            place.bar([x for x, _ in have], [value for _, value in have], 0.18, color=colour, label=_shown(way))
            for x, value in have:
                place.annotate(f"{value:g}", (x, value), ha="center", va="bottom", fontsize=8)
        place.set_xticks(range(len(tasks)), tasks)
        dress(place, "frames", label)
        place.margins(y=0.15)
    figure.legend(*axes[1].get_legend_handles_labels(), frameon=False, ncols=4, loc="outside upper center", fontsize=9)
    return figure


def _shown(way: str) -> str:
    return f"{DUCKDB}, or a loop" if way == "DuckDB" else way


STUDY = Study(
    name="patterns",
    title="Frames beside window functions and pattern matching",
    paper="Frames: data-driven windows (DEBS 2016), beyond section 6.3",
    rows=2_000_000,
    counted="rows",
    needs=(
        Need("key", "whose rows belong together", ("CAST(object_id AS STRING)",)),
        Need("ts", "when, as a timestamp", ("timestamp_micros(frame * 100000)",), kind="time"),
        Need("value", "what is framed: above 0.5, in steps of 0.25 and 0.5", ("CAST(x_m AS DOUBLE)",), kind="number"),
        Need("volume", "what is added up to 100; 1 where it is absent", optional=True),
    ),
    run=run,
)
