"""Tagged rows: each row once for each frame it is in, and, if wanted, rows in none with a null id."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, tagged
from streamframes.core.frames.kernel import IMPUTED_ROW
from streamframes.core.frames.membership import MemberRows
from streamframes.core.frames.plan import FrameSpec


def tagged_rows(plan: FrameSpec, groups: GroupIndex, parts: Iterable[MemberRows]) -> list[pa.RecordBatch]:
    """The rows as a plan with tags reports them; none for other plans."""
    if not plan.tags:
        return []
    return [batch for part in parts for batch in _of_part(plan, groups, part) if batch.num_rows]


def _of_part(plan: FrameSpec, groups: GroupIndex, part: MemberRows) -> Iterator[pa.RecordBatch]:
    real = (part.rows.mark & IMPUTED_ROW) == 0 if part.rows.mark.size else np.ones(len(part.rows), np.bool_)
    for lane in range(part.inside.shape[1]):
        chosen = part.inside[:, lane] & real
        yield _batch(plan, groups, part.rows, chosen, pa.array(part.ids[chosen, lane]))
    if plan.keep_outside:
        chosen = ~part.inside.any(axis=1) & real
        yield _batch(plan, groups, part.rows, chosen, pa.nulls(int(chosen.sum()), pa.int64()))


def _batch(plan: FrameSpec, groups: GroupIndex, rows: Rows, chosen: np.ndarray, ids: pa.Array) -> pa.RecordBatch:
    keys = groups.values(rows.group_of_row[chosen])
    return tagged(plan.tags, rows.filter(chosen), keys, [ids], plan.tag_schema)
