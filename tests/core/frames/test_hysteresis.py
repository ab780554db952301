"""Hysteresis: which rows are members of a Threshold frame with `until` or `merge_gap`, and which must wait."""

from __future__ import annotations

import numpy as np
import pytest

import streamframes as sf
from streamframes.core.batch.rows import Rows, no_rows
from streamframes.core.frames.hysteresis import Hysteresis, HysteresisStage
from streamframes.core.frames.kernel import NO_LIMIT

FOREVER = np.empty(0, np.int64)


def rows(*ts: int) -> Rows:
    """Rows of one group."""
    return Rows(np.array([0]), np.array([0, len(ts)]), np.array(ts), [])


def fed(stage: HysteresisStage, ts: range, where: str, until: str = "", watermark: int | None = None) -> list[bool]:
    """Whether each row that is certain is a member, when these rows come."""
    conditions = [np.array([mark == "1" for mark in marks], np.bool_) for marks in (where, until)]
    watermarks = FOREVER if watermark is None else np.array([watermark])
    certain, member = stage.feed(rows(*ts), *conditions, watermarks, final=False)
    assert len(certain) == member.size
    return [bool(each) for each in member]


def test_an_episode_goes_on_until_the_second_condition_holds() -> None:
    stage = HysteresisStage(Hysteresis(until=True, merge_gap=None, max_gap=NO_LIMIT))
    assert fed(stage, range(5), where="01000", until="00010") == [False, True, True, False, False]


def test_rows_of_a_dip_wait_until_it_is_known_whether_it_is_bridged() -> None:
    stage = HysteresisStage(Hysteresis(until=False, merge_gap=np.uint64(3), max_gap=NO_LIMIT))
    assert fed(stage, range(4), where="1100") == [True, True]
    assert [len(held) for held in stage.held] == [2]
    assert stage.busy.tolist() == [True]


@pytest.mark.parametrize(("watermark", "n_certain"), [(4, 0), (5, 2)])
def test_a_watermark_ends_a_dip_that_no_row_can_bridge_any_more(watermark: int, n_certain: int) -> None:
    stage = HysteresisStage(Hysteresis(until=False, merge_gap=np.uint64(3), max_gap=NO_LIMIT))
    fed(stage, range(4), where="1100")
    held = stage.with_held(no_rows([]))
    certain, member = stage.feed(held, np.zeros(2, np.bool_), FOREVER, np.array([watermark]), final=False)
    assert len(certain) == n_certain
    assert not member.any()


def test_the_picture_of_the_module() -> None:
    where = [mark == "1" for mark in "110010000"]
    scheme = sf.Threshold("w", merge_gap=3)
    assert sf.frames_of(scheme, ts=list(range(9)), w=where) == [sf.Frame(0, 4, 5, "condition")]
