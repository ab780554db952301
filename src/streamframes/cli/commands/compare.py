"""`streamframes compare`: how wrong windows would be about the episodes in files."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import InputOptions, SourceOptions
from streamframes.cli.options.compare import ComparisonOptions, EpisodeOptions, LengthOptions
from streamframes.cli.terminal import note, reporting, say, show
from streamframes.errors import InvalidArgument, StreamFramesError

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.cli.engine import Engine
    from streamframes.cli.io.outputs import Target
    from streamframes.cli.options.windows import Length
    from streamframes.core.schemes import Threshold
    from streamframes.spark import DataFrame

_ORDER = ("unit", "length", "heuristic")
_SHOWN = {
    "window": "windows of",
    "heuristic": "selected by",
    "selected": "selected",
    "duration_error": "rows wrong",
    "error_percent": "% of frame rows",
    "missed": "frames missed",
    "false_alarms": "false alarms",
}


@reporting
@grouped
def compare(
    inputs: InputOptions,
    source: SourceOptions,
    episodes: EpisodeOptions,
    lengths: LengthOptions,
    result: ComparisonOptions,
) -> None:
    """Compare frames with windows: how wrong windows of each length are about the episodes."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.options.windows import given_lengths

    scheme = _scheme(episodes)
    given = None if lengths.windows is None else given_lengths(lengths.windows)
    target = _target(result)
    files = source_of(inputs.inputs, source.input_format)
    began = time.monotonic()
    engine = start(source)
    rows = read(engine, files, source.derive).cache()
    _check_unit(rows, given or [], source)
    chosen = given or _ladder(engine, rows, scheme, source)
    table = _compared(engine, rows, scheme, episodes.value, chosen, source)
    rows.unpersist()
    _require_frames(table, scheme)
    _deliver(engine, table, target, began)
    for line in _words(table):
        say(line)
    _draw(engine, table, chosen, episodes, result)


def _scheme(episodes: EpisodeOptions) -> Threshold:
    from streamframes.cli.options.values import duration
    from streamframes.core.schemes import Threshold

    return Threshold(
        episodes.threshold,
        episodes.until,
        duration(episodes.merge_gap),
        min_rows=episodes.min_rows,
        min_duration=duration(episodes.min_duration),
        max_gap=duration(episodes.max_gap),
        nulls=episodes.nulls,
    )


def _target(result: ComparisonOptions) -> Target | None:
    """Where the table goes, if not to the terminal; refuses what could not be written or drawn later."""
    from streamframes.cli.io.outputs import target_of
    from streamframes.draw.saving import check_picture

    if result.plot is not None:
        check_picture(result.plot)
    if result.output is None:
        return None
    return target_of(result.output, result.output_format, overwrite=result.overwrite)


def _check_unit(rows: DataFrame, given: Sequence[Length], source: SourceOptions) -> None:
    """Refuse windows in time where rows have none."""
    type = dict(rows.dtypes).get(source.ts[0], "")
    in_time = [each.text for each in given if each.unit != "rows"]
    if in_time and type.endswith("int"):
        raise InvalidArgument(
            f"--windows {in_time[0]!r} is a time, and --ts {source.ts[0]} a whole number; give numbers of rows, like 20"
        )


def _ladder(engine: Engine, rows: DataFrame, scheme: Threshold, source: SourceOptions) -> list[Length]:
    """Lengths around the median frame, in time where frames last for some."""
    from streamframes.api.frames import frames
    from streamframes.cli.options.windows import ROWS, SECONDS, ladder

    found = frames(rows, scheme, ts=source.ts, by=source.by).toDF()
    is_time = dict(found.dtypes)["frame_start"].startswith("timestamp")
    lasted = "timestampdiff(MICROSECOND, frame_start, frame_end) / 1e6" if is_time else "0"
    medians = found.selectExpr("percentile(frame_rows, 0.5) AS n_rows", f"percentile({lasted}, 0.5) AS seconds")
    median = engine.run("Finding frames", medians.toArrow, failed="cannot find the frames").to_pylist()[0]
    if median["n_rows"] is None:
        raise StreamFramesError(_no_frames(scheme))
    return ladder(median["seconds"], SECONDS) if median["seconds"] else ladder(median["n_rows"], ROWS)


def _compared(
    engine: Engine,
    rows: DataFrame,
    scheme: Threshold,
    value: str | None,
    lengths: Sequence[Length],
    source: SourceOptions,
) -> pa.Table:
    """The figures of `accuracy()`, with counts beside its percentages."""
    import pyarrow as pa

    from streamframes.api.accuracy import accuracy

    windows = [each.window for each in lengths]
    planned = accuracy(rows, scheme, windows=windows, ts=source.ts, by=source.by, value=value)
    found = engine.run("Comparing", planned.toArrow, failed="cannot compare").to_pylist()
    each = len(found) // len(lengths)
    return pa.Table.from_pylist([_row(row, lengths[place // each]) for place, row in enumerate(found)])


def _row(found: Mapping[str, float], length: Length) -> dict[str, object]:
    def counted(percent: float | None, of: float) -> int:
        return round((percent or 0) * of / 100)

    return {
        **found,
        "window": length.text,
        "length": length.size,
        "unit": length.unit,
        "missed": counted(found["false_negatives"], found["frames"]),
        "false_alarms": counted(found["false_positives"], found["selected"]),
        "error_percent": 100 * found["duration_error"] / found["frame_rows"] if found["frame_rows"] else None,
    }


def _require_frames(table: pa.Table, scheme: Threshold) -> None:
    if not table["frames"][0].as_py():
        raise StreamFramesError(_no_frames(scheme))


def _no_frames(scheme: Threshold) -> str:
    limits = (f"{name}={getattr(scheme, name)}" for name in ("min_rows", "min_duration") if getattr(scheme, name))
    long = "".join(f", {each}" for each in limits)
    return f"there is nothing to compare: no episode of {scheme.where!r}{long} is in the rows"


def _deliver(engine: Engine, table: pa.Table, target: Target | None, began: float) -> None:
    """Print the table, or write it."""
    if target is None:
        show(list(_SHOWN.values()), [[row[name] for name in _SHOWN] for row in table.to_pylist()])
        return
    from streamframes.cli.io.outputs import write

    made = engine.spark.createDataFrame(table)
    engine.run("Writing", lambda: write(made, target, _ORDER), failed=f"cannot write {target.path}")
    note(f"Wrote {table.num_rows:,} comparisons to {target.path} in {time.monotonic() - began:.1f} s.")


def _words(table: pa.Table) -> list[str]:
    """Which windows come closest, and how wrong they are."""
    rows = table.to_pylist()
    total = f"Frames: {rows[0]['frames']:,}, with {rows[0]['frame_rows']:,} rows."
    of_use = [row for row in rows if row["missed"] < row["frames"]]
    if not of_use:
        return [total, "No windows of these lengths find any of them; try shorter ones."]
    best = min(of_use, key=lambda row: (row["duration_error"], row["missed"], row["false_alarms"]))
    worst = max(rows, key=lambda row: row["duration_error"])
    lines = [total, f"Windows of {best['window']} selected by their {best['heuristic']} come closest: {_error(best)}."]
    if worst["duration_error"] > best["duration_error"]:
        lines.append(
            f"Windows of {worst['window']} selected by their {worst['heuristic']} are farthest off: {_error(worst)}."
        )
    return lines


def _error(row: Mapping[str, float]) -> str:
    return (
        f"{row['duration_error']:,} rows wrong ({row['error_percent']:.1f} % of the rows in frames), "
        f"{row['missed']:,} of {row['frames']:,} frames missed, "
        f"{row['false_alarms']:,} of {row['selected']:,} selected windows false alarms"
    )


def _draw(
    engine: Engine, table: pa.Table, lengths: Sequence[Length], episodes: EpisodeOptions, result: ComparisonOptions
) -> None:
    if result.plot is None:
        return
    from streamframes.cli.plots.comparison import draw

    path = result.plot
    engine.run("Drawing", lambda: draw(table, lengths, episodes, path), failed=f"cannot draw {path}")
    note(f"Picture: {path}")
