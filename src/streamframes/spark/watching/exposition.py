"""The exposition: figures as the text that Prometheus reads, each with what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import NamedTuple

from streamframes.spark.watching.figures import ACTIVE, FAILED, IDLE, Figures, instant_of
from streamframes.spark.watching.record import COUNTED

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metric(NamedTuple):
    """A figure under its name at Prometheus; None where a query has none."""

    name: str
    kind: str
    help: str
    value: Callable[[Figures], float | None]


def _seconds(instant: datetime | None) -> float | None:
    return None if instant is None else instant.timestamp()


# A figure that only grows is a counter, and ends in _total.
METRICS = (
    Metric("streamframes_up", "gauge", "1 while the query runs", lambda f: int(f.state in (ACTIVE, IDLE))),
    Metric("streamframes_failed", "gauge", "1 once the query has failed", lambda f: int(f.state == FAILED)),
    Metric("streamframes_batches_total", "counter", "Micro-batches", lambda f: f.batches),
    Metric("streamframes_input_rows_total", "counter", "Rows that were read", lambda f: f.input_rows),
    Metric("streamframes_late_rows_total", "counter", "Rows that were late", lambda f: f.late_rows),
    Metric("streamframes_results_total", "counter", "Rows that were reported", lambda f: f.results),
    Metric("streamframes_fragments_total", "counter", "Fragments of frames that went on", lambda f: f.fragments),
    Metric("streamframes_open_frames", "gauge", "Frames that go on", lambda f: f.open_frames),
    Metric("streamframes_waiting_rows", "gauge", "Rows that wait for the watermark", lambda f: f.waiting_rows),
    Metric("streamframes_groups", "gauge", "Groups that are remembered", lambda f: f.groups),
    Metric("streamframes_state_rows", "gauge", "Records in the state store", lambda f: f.state_rows),
    Metric("streamframes_state_bytes", "gauge", "Memory of the state store", lambda f: f.state_bytes),
    Metric("streamframes_rows_per_second", "gauge", "Speed of the last batch", lambda f: f.rows_per_second),
    Metric("streamframes_batch_seconds", "gauge", "Duration of the last batch", lambda f: f.batch_seconds),
    Metric("streamframes_batch_timestamp_seconds", "gauge", "When the last batch began", lambda f: _seconds(f.at)),
    Metric(
        "streamframes_watermark_timestamp_seconds",
        "gauge",
        "All rows before this instant have been released",
        lambda f: _seconds(instant_of(f.watermark)),
    ),
    Metric(
        "streamframes_watermark_number",
        "gauge",
        "The same where instants are integers",
        lambda f: f.watermark if isinstance(f.watermark, int) else None,
    ),
    Metric("streamframes_newest_timestamp_seconds", "gauge", "The newest row", lambda f: _seconds(f.newest)),
    Metric("streamframes_behind_now_seconds", "gauge", "From the watermark to now", lambda f: f.behind_now),
    Metric("streamframes_behind_newest_seconds", "gauge", "From it to the newest row", lambda f: f.behind_newest),
)
_ERROR = Metric("streamframes_error_info", "gauge", "Why the query failed last, as a label", lambda _: 1)


def exposed(queries: Iterable[Figures]) -> str:
    """The text of all figures of these queries.

    >>> print(exposed([Figures("loss", late_rows=3)]).splitlines()[12:15])
    ['# HELP streamframes_late_rows_total Rows that were late', '# TYPE streamframes_late_rows_total counter', \
'streamframes_late_rows_total{query="loss",id=""} 3']
    """
    found = list(queries)
    lines = []
    for metric in (*METRICS, *_others(found)):
        samples = [(figures, metric.value(figures)) for figures in found]
        lines += _block(metric, [({}, figures, value) for figures, value in samples if value is not None])
    failed = [figures for figures in found if figures.error is not None]
    lines += _block(_ERROR, [({"error": figures.error or ""}, figures, 1) for figures in failed])
    return "".join(f"{line}\n" for line in lines)


def _others(queries: Iterable[Figures]) -> list[Metric]:
    """The figures that some operators have."""
    names = sorted({name for figures in queries for name in figures.others})
    return [
        Metric(
            f"streamframes_{name}_total" if name in COUNTED else f"streamframes_{name}",
            "counter" if name in COUNTED else "gauge",
            name.replace("_", " ").capitalize(),
            lambda figures, name=name: figures.others.get(name),  # type: ignore[misc]
        )
        for name in names
    ]


def _block(metric: Metric, samples: list[tuple[Mapping[str, str], Figures, float]]) -> list[str]:
    if not samples:
        return []
    lines = [f"# HELP {metric.name} {metric.help}", f"# TYPE {metric.name} {metric.kind}"]
    for more, figures, value in samples:
        labels = {"query": figures.query, "id": figures.id, **more}
        written = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
        lines.append(f"{metric.name}{{{written}}} {value!r}")
    return lines


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
