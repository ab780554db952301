"""Checks: the laws that every scheme keeps, as a test that anyone can run on a scheme of their own.

    import streamframes as sf
    sf.check_scheme(MyScheme("altitude", 5))

draws random streams and shows a smallest counter-example where a law is broken. Needs `hypothesis`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.frames.operator import FrameOperator
from streamframes.core.operator import state_codec
from streamframes.core.schemes import Every, Scheme, Threshold
from streamframes.core.theory.laws import Theory, theory_of
from streamframes.core.theory.reference import reference_frames
from streamframes.core.theory.trial import Frame, Trial, frames_in, start_operator
from streamframes.errors import StreamFramesError
from streamframes.extras import need

if TYPE_CHECKING:
    from hypothesis.strategies import DataObject

# The values of each input of a scheme.
Columns: TypeAlias = "Mapping[str, Sequence[object]]"
# A row of the result of a stream: a fragment, or a frame.
Fragment: TypeAlias = "dict[str, Any]"

# Later than any row that is drawn.
_LAST = 1_000


class BrokenLaw(StreamFramesError, AssertionError):
    """A scheme breaks a law; the message says which, and on what rows."""


def check_scheme(scheme: Scheme, *, theory: Theory | None = None, examples: int = 200) -> None:
    """Prove, as far as random streams can, that a scheme keeps the laws of frames.

    Frames are in order and share no row (unless several may be open); uncut Threshold frames are separated; the
    common options hold; arrival order, cuts into batches, and stopping and resuming change nothing; a stream
    reports the frames of the table, after fragments that only grow; shifting time shifts frames (not for Every);
    and, where a theory is known or given, the frames are those of the definition.

    Parameters
    ----------
    scheme
        Any scheme, a stranger's too.
    theory
        The scheme in the terms of the definition; see `streamframes.core.theory.laws.Theory`.
    examples
        How many random streams are tried.

    Examples
    --------
    >>> from streamframes.core.schemes import Gap
    >>> check_scheme(Gap(3), examples=5)
    """
    need("laws")
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    if theory is not None and type(scheme) not in theory_of.registry:
        theory_of.register(type(scheme), lambda scheme: theory)
    values = {
        "condition": st.sampled_from([True, False, None]),
        "number": st.one_of(st.integers(-5, 5).map(float), st.sampled_from([None, float("nan"), 0.25])),
        "any": st.sampled_from(["a", "b", None]),
    }

    @settings(max_examples=examples, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def laws(data: DataObject) -> None:
        size = data.draw(st.integers(0, 12), label="number of rows")
        ts = data.draw(st.lists(st.integers(-9, 15), min_size=size, max_size=size), label="ts")
        columns = {
            f"in{i}": data.draw(st.lists(values[needed.kind], min_size=size, max_size=size), label=needed.name)
            for i, needed in enumerate(scheme.inputs())
        }
        order = data.draw(st.permutations(range(size)), label="another order of arrival")
        cuts = sorted(data.draw(st.sets(st.integers(-9, 15), max_size=4), label="cuts into batches"))
        check_laws(scheme, ts, columns, order, cuts)

    laws()


def check_laws(
    scheme: Scheme,
    ts: Sequence[int],
    columns: Columns,
    order: Sequence[int],
    cuts: Sequence[int],
) -> None:
    """The laws on one stream."""
    trial = Trial(scheme, ts=ts, columns=columns)
    frames = trial.frames([range(len(ts))])
    _shape(scheme, frames, trial.plan.compiled.lanes)
    shuffled = Trial(scheme, ts=[ts[i] for i in order], columns=_picked(columns, order))
    _same("arrival order changes nothing", shuffled.frames([range(len(ts))]), frames)
    _same("cuts into batches change nothing", trial.frames(_batches(ts, cuts)), frames)
    _same("stopping and resuming changes nothing", _with_restarts(trial, _batches(ts, cuts)), frames)
    _stream(_fragments(trial, _batches(ts, cuts), [*cuts, _LAST]), frames)
    if not isinstance(scheme, Every):
        later = Trial(scheme, ts=[t + 1000 for t in ts], columns=columns).frames([range(len(ts))])
        _same("shifting time shifts frames", [_shifted(frame, -1000) for frame in later], frames)
    if any(kind is not object and issubclass(type(scheme), kind) for kind in theory_of.registry):
        rows = [{"ts": t, **{name: column[i] for name, column in columns.items()}} for i, t in enumerate(ts)]
        _same("frames are those of the definition", frames, reference_frames(scheme, rows))


def _shape(scheme: Scheme, frames: list[Frame], lanes: int) -> None:
    for frame in frames:
        small = frame.kind != "gap" and frame.rows < (scheme.min_rows or 1)
        large = scheme.max_rows is not None and frame.rows > scheme.max_rows
        if frame.start > frame.end or small or large:
            raise BrokenLaw(f"{scheme!r} gives {frame!r}, which its options do not allow")
    plain = lanes == 1 and not (isinstance(scheme, Threshold) and scheme.gaps)
    for before, after in itertools.pairwise(frames):
        if plain and before.end > after.start:
            raise BrokenLaw(f"{scheme!r} gives frames that share rows: {before!r} and {after!r}")


def _same(law: str, got: list[Frame], expected: list[Frame]) -> None:
    if got != expected:
        raise BrokenLaw(f"{law}: got {got!r}, expected {expected!r}")


def _picked(columns: Columns, order: Sequence[int]) -> Columns:
    return {name: [column[i] for i in order] for name, column in columns.items()}


def _batches(ts: Sequence[int], cuts: Sequence[int]) -> list[list[int]]:
    number = np.searchsorted(np.array(cuts), np.array(ts, np.int64), side="right")
    return [[i for i in range(len(ts)) if number[i] == batch] for batch in range(len(cuts) + 1)]


def _with_restarts(trial: Trial, batches: Iterable[list[int]]) -> list[Frame]:
    """Feed the batches, each to an operator that is restored from a snapshot of the one before."""
    operator = start_operator(trial.plan)
    results = []
    for batch in batches:
        operator = _resumed(operator)
        results += operator.feed(trial.released(batch))
    return frames_in([*results, *operator.finish()])


def _fragments(trial: Trial, batches: Iterable[list[int]], watermarks: Iterable[int]) -> list[Fragment]:
    """What a stream reports as its watermark passes these, stopped and resumed at each."""
    operator = start_operator(replace(trial.plan, fragments=True), live=True)
    results = []
    for batch, watermark in zip(batches, watermarks, strict=True):
        operator = _resumed(operator)
        results += operator.feed(trial.released(batch), np.array([watermark]))
    return [row for batch in results for row in batch.to_pylist()]


def _resumed(operator: FrameOperator) -> FrameOperator:
    again = FrameOperator(operator.plan, live=operator.live)
    again.restore(state_codec.decode(state_codec.encode(operator.snapshot())))
    return again


def _stream(fragments: list[Fragment], frames: list[Frame]) -> None:
    """A stream reports the frames that are closed, after fragments that only grow."""
    schema = pa.Table.from_pylist(fragments).schema if fragments else None
    final = [row for row in fragments if row["frame_final"]]
    reported = frames_in(pa.Table.from_pylist(final, schema).to_batches()) if final else []
    by_time = [replace(frame, closed_by="time") for frame in frames if frame.closed_by == "end of data"]
    missing = [frame for frame in frames if frame.closed_by != "end of data" and frame not in reported]
    strange = [frame for frame in reported if frame not in frames and replace(frame, closed_by="time") not in by_time]
    if missing or strange:
        raise BrokenLaw(f"a stream reports the frames of the table: {missing!r} are missing, {strange!r} are not there")
    latest: dict[int, Fragment] = {}
    for row in fragments:
        before = latest.get(row["frame_id"], {**row, "frame_fragment": -1, "frame_rows": 0})
        grows = row["frame_end"] >= before["frame_end"] and row["frame_rows"] >= before["frame_rows"]
        if (
            not grows
            or row["frame_fragment"] != before["frame_fragment"] + 1
            or row["frame_start"] != before["frame_start"]
        ):
            raise BrokenLaw(f"fragments only grow: {row!r} follows {before!r}")
        latest[row["frame_id"]] = row


def _shifted(frame: Frame, by: int) -> Frame:
    return Frame(frame.start + by, frame.end + by, frame.rows, frame.closed_by, frame.kind, frame.cell, frame.imputed)
