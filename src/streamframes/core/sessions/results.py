"""Results: words of the engine as columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, tagged, typed
from streamframes.core.sessions.kernels.arrays import RESULT
from streamframes.core.sessions.kernels.close import BY_END
from streamframes.core.sessions.kernels.fields import NULL, null_of
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, DURATION, TEXT
from streamframes.core.sessions.partials import partials
from streamframes.core.sessions.plan import MEASURES, OPEN, SESSIONS, SessionSpec
from streamframes.core.sessions.string_ids import StringIds
from streamframes.core.sessions.vm.memory import EngineResults

CLOSED_BY = ("condition", "parent", "timeout", "end of data")


class ResultWriter:
    """Writes words of the engine as the results of a plan."""

    def __init__(
        self,
        plan: SessionSpec,
        strings: StringIds,
        groups: GroupIndex,
        births: Mapping[str, int] = MappingProxyType({}),
    ) -> None:
        self.plan, self.strings, self.groups, self.births = plan, strings, groups, births
        self.names = pa.array([each.name for each in plan.classes])
        self.levels = np.array([each.level for each in plan.classes], np.int32)
        self.chosen = np.zeros(len(plan.classes), np.bool_)
        self.chosen[list(plan.chosen)] = True

    def results(self, words: EngineResults) -> Iterator[pa.RecordBatch]:
        """The results of one call of the engine."""
        if self.plan.output == MEASURES:
            if words.emitted.size:
                yield self._measures(words.emitted)
            if words.received.size:
                plan = self.plan
                yield from partials(words.received, plan.nodes, plan.root_measures, plan.ticks_per_second, self.births)
        elif self.plan.output in (SESSIONS, OPEN):
            closed = words.closed[self.chosen[words.closed[:, RESULT.cls]]]
            if self.plan.output == OPEN:
                closed = closed[closed[:, RESULT.closed_by] == BY_END]
            if closed.size:
                yield self._sessions(closed)

    def _sessions(self, closed: np.ndarray) -> pa.RecordBatch:
        plan, cls = self.plan, closed[:, RESULT.cls]
        columns = [
            *self.groups.values(closed[:, RESULT.group]),
            pa.array(closed[:, RESULT.id]),
            *(typed(pa.array(closed[:, which]), plan.ts_type) for which in (RESULT.start, RESULT.end)),
            pa.array(closed[:, RESULT.rows]),
            pa.array(CLOSED_BY).take(pa.array(closed[:, RESULT.closed_by])),
            self.names.take(pa.array(cls)),
            pa.array(closed[:, RESULT.parent], mask=closed[:, RESULT.parent] == NULL),
            pa.array(self.levels[cls]),
        ]
        for i, column in enumerate(plan.output_columns):
            words = closed[:, len(RESULT) + i].copy()
            has = np.zeros(len(plan.classes), np.bool_)
            has[[each for each, _ in column.terms]] = True
            words[~has[cls]] = null_of(column.kind)
            columns.append(self._column(words, column.kind, column.type))
        return pa.RecordBatch.from_arrays(columns, schema=plan.frame_schema)

    def _column(self, words: np.ndarray, kind: str, wanted: pa.DataType) -> pa.Array:
        """Words as values of a type."""
        if kind == TEXT:
            return self.strings.decode(words)
        if kind == DOUBLE:
            return pa.array(words.view(np.float64), from_pandas=True).cast(wanted)
        array = pa.array(words, mask=words == NULL)
        if kind == BOOLEAN:
            return array.cast(pa.bool_())
        if kind == DURATION and pa.types.is_floating(wanted):
            return pa.array(words / self.plan.ticks_per_second, mask=words == NULL)
        return typed(array, wanted)

    def _measures(self, emitted: np.ndarray) -> pa.RecordBatch:
        plan = self.plan
        values = np.empty(emitted.shape[0])
        for i, measure in enumerate(plan.own_measures):
            here = emitted[:, 3] == i
            values[here] = plan.numbers(measure.node, emitted[here, 4])
        names = pa.array([measure.name for measure in plan.own_measures]).take(pa.array(emitted[:, 3]))
        columns = [
            pa.array(emitted[:, 0]) if plan.merges_root else typed(pa.array(emitted[:, 0]), plan.ts_type),
            self.names.take(pa.array(emitted[:, 1])),
            pa.array(emitted[:, 2]),
            names,
            pa.array(values),
        ]
        more = list(plan.result_schema)[len(columns) :]
        columns += [pa.nulls(emitted.shape[0], each.type) for each in more]
        return pa.RecordBatch.from_arrays(columns, schema=plan.result_schema)

    def tagged(self, rows: Rows, memberships: np.ndarray) -> pa.RecordBatch:
        """The events with the ids of their sessions."""
        plan, n = self.plan, len(rows)
        ids, outside = [], np.ones(n, np.bool_)
        for cls in plan.chosen:
            here = memberships[memberships[:, 1] == cls]
            outside[here[:, 0]] = False
            if plan.is_many(cls):
                here = here[np.argsort(here[:, 0], kind="stable")]
                offsets = np.concatenate([[0], np.cumsum(np.bincount(here[:, 0], minlength=n))])
                ids.append(pa.ListArray.from_arrays(pa.array(offsets.astype(np.int32)), pa.array(here[:, 2])))
            else:
                own = np.full(n, NULL)
                own[here[:, 0]] = here[:, 2]
                mask = np.ones(n, np.bool_)
                mask[here[:, 0]] = False
                ids.append(pa.array(own, mask=mask))
        batch = tagged(plan.tags, rows, self.groups.values(rows.group_of_row), ids, plan.result_schema)
        return batch if plan.keep_outside else batch.filter(pa.array(~outside))

    def diagnostics(self, null_keys: np.ndarray, unmatched_closes: np.ndarray) -> pa.RecordBatch:
        """By class how many events had no key, and how many would have closed what was not open."""
        columns = [self.names, pa.array(null_keys), pa.array(unmatched_closes)]
        return pa.RecordBatch.from_arrays(columns, schema=self.plan.result_schema)
