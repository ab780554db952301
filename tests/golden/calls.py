"""The verbs as the golden cases call them: every setting a plain keyword, put into its options value here alone."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.arguments import flat


def frames(rows: Any, scheme: sf.Scheme, **options: Any) -> sf.Frames:
    """`sf.frames`, with what belongs to the schedule and to the stream among `options`."""
    return sf.frames(rows, scheme, **flat("frames", **options))


def fill(query: sf.Frames, rows: Any, **options: Any) -> Any:
    """`Frames.fill`, with what belongs to the stream and the measures among `options`."""
    return query.fill(rows, **options)


def fill_table(frames: Any, rows: Any, **options: Any) -> Any:
    """`sf.fill`."""
    return sf.fill(frames, rows, **options)


def bursts(rows: Any, value: str | None = None, **options: Any) -> sf.Bursts:
    """`sf.bursts`, with what belongs to the search and to the stream among `options`."""
    return sf.bursts(rows, value, **flat("bursts", **options))


def sessions(rows: Any, tree: sf.Session | list[sf.Session], **options: Any) -> sf.Sessions:
    """`sf.sessions`, with what belongs to the stream among `options`."""
    return sf.sessions(rows, tree, **flat("sessions", **options))


def regions(rows: Any, condition: str, **options: Any) -> sf.Regions:
    """`sf.regions`, with what belongs to reports, minimums and the stream among `options`."""
    return sf.regions(rows, condition, **flat("regions", **options))


def density(rows: Any, **options: Any) -> sf.Regions:
    """`sf.density`, with what belongs to the stream among `options`."""
    return sf.density(rows, **flat("density", **options))


def accuracy(rows: Any, scheme: sf.Threshold, **options: Any) -> Any:
    """`sf.accuracy`."""
    return sf.accuracy(rows, scheme, **options)
