"""Changes as they are defined: after each batch, what holds of the rows so far; nothing is kept from batch to batch.

A consumer applies changes by replacing what it has under an id, and by dropping what is retracted.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]
_CHANGE = ("frame_version", "frame_final", "frame_retracted")
# What time alone says when it closes what is open.
_BY_TIME = ("condition", "gap")


@dataclass
class Consumer:
    """What a consumer of changes knows: the frames that live, and the last version of every id."""

    live: dict[int, Row] = field(default_factory=dict)
    versions: dict[int, int] = field(default_factory=dict)
    amends: bool = False

    def take(self, changes: Iterable[Row]) -> None:
        """Apply the changes of one batch."""
        seen_other = False
        for row in changes:
            frame_id, before = row["frame_id"], self.live.get(row["frame_id"])
            assert row["frame_version"] == self.versions.get(frame_id, -1) + 1, "versions rise by one"
            self.versions[frame_id] = row["frame_version"]
            if row["frame_retracted"]:
                assert not seen_other, "retractions come first"
                assert before is not None, "only what lives is retracted"
                assert without(row) == without(before), "with the columns as last reported"
                assert not row["frame_final"]
                del self.live[frame_id]
            else:
                seen_other = True
                assert before is None or without(row) != without(before) or row["frame_final"] != before["frame_final"]
                assert (row["frame_closed_by"] == "open") <= (not row["frame_final"]), "what is open is not final"
                self.live[frame_id] = row
            assert self.amends or before is None or not before["frame_final"], "final is final"

    @property
    def final(self) -> list[Row]:
        """The final frames."""
        return [without(row) for row in self.live.values() if row["frame_final"]]


def without(row: Row) -> str:
    """The columns of a frame, without what a change says of it; NaN equals NaN."""
    return repr(sorted((name, value) for name, value in row.items() if name not in _CHANGE))


def taken(batches: list[tuple[list[Row], int]], amend_within: int = 0) -> list[list[Row]]:
    """The rows of each batch that are not too late: not further behind the watermark of the batches before."""
    watermark: int | None = None
    found = []
    for rows, moved in batches:
        found.append([row for row in rows if watermark is None or row["ts"] >= watermark - amend_within])
        watermark = moved if watermark is None else max(watermark, moved)
    return found


def check_live(consumer: Consumer, table: list[Row], certain: list[Row], *, early: bool) -> None:
    """The live frames are those of a table of the rows so far, and the final ones those that a stream has reported."""
    assert sorted(consumer.final) == sorted(map(without, certain))
    if not early:
        assert all(row["frame_final"] for row in consumer.live.values())
        return
    final = {row["frame_id"] for row in certain}
    expected = {row["frame_id"]: row for row in table}
    assert set(consumer.live) == set(expected)
    for frame_id, row in consumer.live.items():
        there = expected[frame_id]
        if there["frame_closed_by"] == "end of data":
            closed_by = row["frame_closed_by"]
            assert closed_by in (_BY_TIME if frame_id in final else ("open",))
            there = {**there, "frame_closed_by": closed_by}
        assert without(row) == without(there)


def check_no_overlap(consumer: Consumer, group_of: Callable[[Row], Any]) -> None:
    """No two live frames of a group share an instant, unless it is one at which one ends and the next begins."""
    by_group: dict[Any, list[tuple[int, int]]] = {}
    for row in consumer.live.values():
        by_group.setdefault(group_of(row), []).append((row["frame_start"], row["frame_end"]))
    for frames in by_group.values():
        frames.sort()
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(frames))
