"""Events: rows as the engine takes them: a word for each column, two words for the key of each keyed class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex, as_int64, fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels.fields import NULL
from streamframes.core.sessions.language.symbols import kind_of
from streamframes.core.sessions.language.terms import DOUBLE, TEXT, Event, subterms
from streamframes.core.sessions.plan import SessionSpec
from streamframes.core.sessions.string_ids import StringIds
from streamframes.core.sessions.vm.memory import Events
from streamframes.core.sparksql import Expression


class EventEncoder:
    """Encodes the rows of a plan; `more` are expressions of events that commands have added."""

    def __init__(
        self, plan: SessionSpec, groups: GroupIndex, strings: StringIds, more: Sequence[Expression] = ()
    ) -> None:
        self.plan, self.groups, self.strings, self.more = plan, groups, strings, more
        self.used = _used(plan)

    def events(self, rows: Rows) -> Events:
        """The events of these rows."""
        plan = self.plan
        columns = np.empty((len(plan.event_at) + len(self.more), len(rows)), np.int64)
        arrays: list[pa.Array | None] = [None] * len(plan.event_at)
        flags: dict[int, np.ndarray] = {}
        sizes = np.diff(rows.bounds)
        keys = self.groups.values(rows.groups) if any(at < 0 for at in plan.event_at) else []
        for i, at in enumerate(plan.event_at):
            if i not in self.used:
                continue
            if plan.bits and plan.bits[i] >= 0:
                if at not in flags:
                    flags[at] = rows.columns[at].to_numpy()
                _truths(flags[at], plan.bits[i], columns[i])
            elif at >= 0:
                arrays[i] = rows.columns[at]
                columns[i] = self._encoded(rows.columns[at])
            else:
                arrays[i] = keys[-1 - at]
                columns[i] = np.repeat(self._encoded(keys[-1 - at]), sizes)
        if self.more and plan.commands is not None:
            travelling = rows.columns[-len(plan.commands.columns) :]
            batch = pa.RecordBatch.from_arrays(travelling, schema=plan.commands.columns)
            for i, expression in enumerate(self.more):
                columns[len(plan.event_at) + i] = self._encoded(expression.evaluate(batch))
        return Events(rows.groups, rows.bounds, rows.ts, columns, self._keys(rows, arrays))

    def _keys(self, rows: Rows, arrays: Sequence[pa.Array | None]) -> np.ndarray:
        """Two words for the key of each keyed class; where it is null, the second says so."""
        plan = self.plan
        keyed = [i for i, each in enumerate(plan.classes) if each.keys]
        words = np.empty((2 * len(keyed), len(rows)), np.int64)
        sizes = np.diff(rows.bounds)
        for k, cls in enumerate(keyed):
            if cls in plan.grouped:
                values = self.groups.values(rows.groups)
                first, second = self.groups.first[rows.groups], self.groups.second[rows.groups]
            else:
                values = [arrays[column] for column in plan.classes[cls].keys]
                first, second = fingerprints(values, len(rows))
            second = second.view(np.int64)
            for each in values:
                if each.null_count:
                    second = np.where(each.is_valid().to_numpy(zero_copy_only=False), second, NULL)
            pair = (first.view(np.int64), second)
            words[2 * k], words[2 * k + 1] = (np.repeat(each, sizes) for each in pair) if cls in plan.grouped else pair
        return words

    def _encoded(self, array: pa.Array) -> np.ndarray:
        """A column as words."""
        kind = kind_of(array.type.value_type if pa.types.is_dictionary(array.type) else array.type)
        if kind == TEXT:
            return self.strings.encode(array)
        if kind == DOUBLE:
            values = array.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
            return np.asarray(values).view(np.int64)
        words = as_int64(array)
        if array.null_count:
            return np.where(array.is_valid().to_numpy(zero_copy_only=False), words, NULL)
        return words


@compiled
def _truths(flags: np.ndarray, bit: int, out: np.ndarray) -> None:
    """The truth value at two bits: false, true or null."""
    for i in range(flags.size):
        value = (flags[i] >> bit) & 3
        out[i] = NULL if value == 2 else value


def _used(plan: SessionSpec) -> set[int]:
    """The columns of events that anything depends on; a key that is the group is known without."""
    used = {column for i, each in enumerate(plan.classes) if i not in plan.grouped for column in each.keys}
    terms = [term for each in plan.classes for term in (each.matches, each.opens, each.closes)]
    terms += [term for node in plan.nodes for term in (node.argument, node.where)]
    for term in terms:
        used |= {part.column for part in subterms(term) if isinstance(part, Event)} if term is not None else set()
    return used
