"""Results: words of the engine as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, tagged, typed
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, DURATION, TEXT
from streamframes.core.sessions.merge import partials
from streamframes.core.sessions.plan import MEASURES, OPEN, SESSIONS, SessionSpec
from streamframes.core.sessions.string_ids import Texts
from streamframes.core.sessions.vm.bits import NULL, null_of
from streamframes.core.sessions.vm.close import BY_END
from streamframes.core.sessions.vm.layout import (
    O_CLASS,
    O_CLOSED_BY,
    O_END,
    O_GROUP,
    O_HEAD,
    O_ID,
    O_PARENT,
    O_ROWS,
    O_START,
)
from streamframes.core.sessions.vm.machine import Found

CLOSED_BY = ("condition", "parent", "timeout", "end of data")


class Teller:
    """Tells what the engine has found, as the plan wants it."""

    def __init__(
        self, plan: SessionSpec, texts: Texts, groups: GroupIndex, births: Mapping[str, int] = MappingProxyType({})
    ) -> None:
        self.plan, self.texts, self.groups, self.births = plan, texts, groups, births
        self.names = pa.array([each.name for each in plan.classes])
        self.levels = np.array([each.level for each in plan.classes], np.int32)
        self.chosen = np.zeros(len(plan.classes), np.bool_)
        self.chosen[list(plan.chosen)] = True

    def told(self, found: Found) -> Iterator[pa.RecordBatch]:
        """The results of one stretch."""
        if self.plan.output == MEASURES:
            if found.told.size:
                yield self._measures(found.told)
            if found.received.size:
                plan = self.plan
                yield from partials(found.received, plan.nodes, plan.root_measures, plan.ticks_per_second, self.births)
        elif self.plan.output in (SESSIONS, OPEN):
            closed = found.closed[self.chosen[found.closed[:, O_CLASS]]]
            if self.plan.output == OPEN:
                closed = closed[closed[:, O_CLOSED_BY] == BY_END]
            if closed.size:
                yield self._sessions(closed)

    def _sessions(self, closed: np.ndarray) -> pa.RecordBatch:
        plan, cls = self.plan, closed[:, O_CLASS]
        columns = [
            *self.groups.values(closed[:, O_GROUP]),
            pa.array(closed[:, O_ID]),
            *(typed(pa.array(closed[:, which]), plan.ts_type) for which in (O_START, O_END)),
            pa.array(closed[:, O_ROWS]),
            pa.array(CLOSED_BY).take(pa.array(closed[:, O_CLOSED_BY])),
            self.names.take(pa.array(cls)),
            pa.array(closed[:, O_PARENT], mask=closed[:, O_PARENT] == NULL),
            pa.array(self.levels[cls]),
        ]
        for i, told in enumerate(plan.told):
            words = closed[:, O_HEAD + i].copy()
            has = np.zeros(len(plan.classes), np.bool_)
            has[[each for each, _ in told.terms]] = True
            words[~has[cls]] = null_of(told.kind)
            columns.append(self.column(words, told.kind, told.type))
        return pa.RecordBatch.from_arrays(columns, schema=plan.frame_schema)

    def column(self, words: np.ndarray, kind: str, wanted: pa.DataType) -> pa.Array:
        """Words as values of a type."""
        if kind == TEXT:
            return self.texts.texts(words)
        if kind == DOUBLE:
            return pa.array(words.view(np.float64), from_pandas=True).cast(wanted)
        array = pa.array(words, mask=words == NULL)
        if kind == BOOLEAN:
            return array.cast(pa.bool_())
        if kind == DURATION and pa.types.is_floating(wanted):
            return pa.array(words / self.plan.ticks_per_second, mask=words == NULL)
        return typed(array, wanted)

    def _measures(self, told: np.ndarray) -> pa.RecordBatch:
        plan = self.plan
        values = np.empty(told.shape[0])
        for i, measure in enumerate(plan.own_measures):
            here = told[:, 3] == i
            values[here] = plan.numbers(measure.node, told[here, 4])
        names = pa.array([measure.name for measure in plan.own_measures]).take(pa.array(told[:, 3]))
        columns = [
            pa.array(told[:, 0]) if plan.spans else typed(pa.array(told[:, 0]), plan.ts_type),
            self.names.take(pa.array(told[:, 1])),
            pa.array(told[:, 2]),
            names,
            pa.array(values),
        ]
        more = list(plan.result_schema)[len(columns) :]
        columns += [pa.nulls(told.shape[0], each.type) for each in more]
        return pa.RecordBatch.from_arrays(columns, schema=plan.result_schema)

    def tagged(self, rows: Rows, belongs: np.ndarray) -> pa.RecordBatch:
        """The events with the ids of their sessions."""
        plan, n = self.plan, len(rows)
        ids, outside = [], np.ones(n, np.bool_)
        for cls in plan.chosen:
            here = belongs[belongs[:, 1] == cls]
            outside[here[:, 0]] = False
            if plan.is_many(cls):
                here = here[np.argsort(here[:, 0], kind="stable")]
                offsets = np.concatenate([[0], np.cumsum(np.bincount(here[:, 0], minlength=n))])
                ids.append(pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(here[:, 2])))
            else:
                found = np.full(n, NULL)
                found[here[:, 0]] = here[:, 2]
                mask = np.ones(n, np.bool_)
                mask[here[:, 0]] = False
                ids.append(pa.array(found, mask=mask))
        batch = tagged(plan.tags, rows, self.groups.values(rows.group_of_row), ids, plan.result_schema)
        return batch if plan.keep_outside else batch.filter(pa.array(~outside))

    def odd(self, null_keys: np.ndarray, strays: np.ndarray) -> pa.RecordBatch:
        """What was odd about events, by class."""
        return pa.RecordBatch.from_arrays(
            [self.names, pa.array(null_keys), pa.array(strays)], schema=self.plan.result_schema
        )
