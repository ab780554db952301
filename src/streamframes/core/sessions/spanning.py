"""Spanning: a root that has its parts in many places.

Each place tells what the root would have received there, by measure and instant, as accumulators; they are merged in
the order of instants. Nothing about them depends on where an event was.

  bucket 1   (ticks, measure, words) ─┐
  bucket 2   (ticks, measure, words) ─┼──> merged, in order ──> measures of the root
  bucket 3   (ticks, measure, words) ─┘

What is sent says itself how it is merged, so that who merges need not know which measures there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.compiled import compiled
from streamframes.core.sessions import tables
from streamframes.core.sessions.accumulators import BLANK, MOST_WORDS, add, is_read, merge, read_double
from streamframes.core.sessions.bits import is_null
from streamframes.core.sessions.nodes import FIRST, LAST, ON_CLOSE, Measure, Node
from streamframes.core.sessions.terms import DOUBLE, DURATION
from streamframes.errors import StreamFramesError

# The columns of a measure on its way (`class` is no name that pandas can carry), and of what a root has received: the
# accumulator, what averages and results of durations are divided by, whether it is a double, and since which order.
TOLD = ("ticks", "name", "id", "measure", "value")
WORDS = tuple(f"word{i}" for i in range(MOST_WORDS))
MERGED = ("code", "scale", "divisor", "is_double", "birth", *WORDS)
SCHEMA = pa.schema(
    [
        ("ticks", pa.int64()),
        ("name", pa.string()),
        ("id", pa.int64()),
        ("measure", pa.string()),
        ("value", pa.float64()),
        *((name, pa.int64()) for name in MERGED),
    ]
)
_TOO_LARGE = "a sum of whole numbers in a session is too large for a long; cast it to double"


def is_mergeable(node: Node) -> bool:
    """Whether what two places have received can be put together without knowing its order."""
    return node.function not in (FIRST, LAST) and not node.is_windowed and node.user is None


@compiled
def _gathered(received: Any, code: Any, blank: Any, out: Any) -> Any:
    """Add up what was received, sorted by instant: a row for each; -1 if a sum is too large."""
    n = -1
    flat = out.reshape(-1)
    doubles = flat.view(np.float64)
    values = received.reshape(-1).view(np.float64)
    width = out.shape[1]
    for i in range(received.shape[0]):
        if n < 0 or out[n, 0] != received[i, 0]:
            n += 1
            out[n, 0] = received[i, 0]
            out[n, 1:] = blank
        if not add(flat, doubles, n * width + 1, code, received[i, 1], values[2 * i + 1]):
            return -1
    return n + 1


def partials(
    received: np.ndarray, nodes: tuple[Node, ...], measures: Iterable[Measure], second: int, births: Mapping[str, int]
) -> Iterator[pa.RecordBatch]:
    """What a root has received here (node, ticks, word), by measure and instant."""
    for measure in measures:
        node = nodes[measure.node]
        here = received[received[:, 0] == measure.node][:, 1:]
        if not here.size or measure.when == ON_CLOSE:
            continue
        kind = tables.input_type(nodes, node)
        code = tables.CODES[node.function][kind == DOUBLE]
        blank = np.zeros(MOST_WORDS, np.int64)
        blank[: len(BLANK[code])] = BLANK[code]
        out = np.zeros((here.shape[0], 1 + MOST_WORDS), np.int64)
        size = _gathered(np.ascontiguousarray(here[np.lexsort((here[:, 1], here[:, 0]))]), code, blank, out)
        if size < 0:
            raise StreamFramesError(_TOO_LARGE)
        known = (
            code,
            second if kind == DURATION else 1,
            second if node.type == DURATION else 1,
            int(node.type == DOUBLE),
            births.get(measure.name, 0),
        )
        columns = [
            pa.array(out[:size, 0]),
            pa.nulls(size, pa.string()),
            pa.nulls(size, pa.int64()),
            pa.array([measure.name] * size, pa.string()),
            pa.nulls(size, pa.float64()),
            *(pa.array(np.full(size, number)) for number in known),
            *(pa.array(np.ascontiguousarray(out[:size, 1 + i])) for i in range(MOST_WORDS)),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


@compiled
def _merged(
    ticks: Any, given: Any, code: Any, scale: Any, is_double: Any, total: Any, told: Any, each: bool, out: Any
) -> Any:
    """Merge partial accumulators, sorted by instant, into a total; a row for each instant with a new value.

    Unless `each` instant counts, all are taken as one.
    """
    doubles = total.view(np.float64)
    partial = given.reshape(-1)
    partial_doubles = partial.view(np.float64)
    word = np.empty(1, np.int64)
    word_double = word.view(np.float64)
    n, k = 0, 0
    while k < ticks.size:
        end = k
        while end < ticks.size and (ticks[end] == ticks[k] or not each):
            if not merge(total, doubles, 0, code, partial, partial_doubles, end * given.shape[1]):
                return -1
            end += 1
        word[0] = total[0]
        if is_read(code):
            word_double[0] = read_double(total, doubles, 0, code, scale)
        if not is_null(word[0], is_double) and not (told[0] and told[1] == word[0]):
            told[0], told[1] = 1, word[0]
            out[n, 0], out[n, 1] = ticks[end - 1], word[0]
            n += 1
        k = end
    return n


class Spanning:
    """The root, put together from what its places have received: for each measure its accumulator and what was told."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.totals: dict[str, np.ndarray] = {}

    def told_of(self, batch: pa.RecordBatch, *, each: bool) -> Iterator[pa.RecordBatch]:
        """Take partial accumulators; the measures of the root that are new, as rows."""
        for measure in pc.unique(batch.column("measure")).to_pylist():
            here = batch.filter(pc.equal(batch.column("measure"), measure))
            columns = {name: here.column(name).to_numpy() for name in ("ticks", *MERGED)}
            latest = columns["birth"].max()
            if (columns["birth"] < latest).any():
                kept = columns["birth"] == latest
                columns = {name: array[kept] for name, array in columns.items()}
            yield from self._told(measure, columns, each=each)

    def _told(self, measure: str, columns: Mapping[str, np.ndarray], *, each: bool) -> Iterator[pa.RecordBatch]:
        code, scale, divisor, is_double, birth = (int(columns[name][0]) for name in MERGED[:5])
        blank = np.zeros(MOST_WORDS, np.int64)
        blank[: len(BLANK[code])] = BLANK[code]
        total = self.totals.get(measure)
        if total is None or total[2] < birth:
            total = np.concatenate([[0, 0, birth], blank])
        order = np.lexsort((*(columns[name] for name in reversed(WORDS)), columns["ticks"]))
        given = np.stack([columns[name][order] for name in WORDS], axis=1)
        out = np.zeros((order.size, 2), np.int64)
        told, words = total[:2].copy(), total[3:].copy()
        size = _merged(columns["ticks"][order], given, code, scale, bool(is_double), words, told, each, out)
        if size < 0:
            raise StreamFramesError(_TOO_LARGE)
        self.totals[measure] = np.concatenate([told, [birth], words])
        if size:
            found = np.ascontiguousarray(out[:size, 1])
            values = found.view(np.float64) if is_double else found / divisor
            yield pa.RecordBatch.from_arrays(
                [
                    pa.array(out[:size, 0]),
                    pa.array([self.name] * size),
                    pa.array(np.full(size, self.number)),
                    pa.array([measure] * size),
                    pa.array(values),
                ],
                list(TOLD),
            )

    def save(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {"totals": self.totals}

    def load(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.totals = saved["totals"]


def merged(root: Spanning, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All measures, from rows that come sorted by instant: a row of the root for each change, others as they are."""
    for batch in _by_instant(batches):
        partial = batch.column("code").is_valid()
        yield batch.filter(pc.invert(partial)).select(list(TOLD))
        yield from root.told_of(batch.filter(partial), each=True)


def _by_instant(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches cut so that no instant is in two of them."""
    held: pa.RecordBatch | None = None
    for batch in batches:
        whole = batch if held is None else pa.concat_batches([held, batch])
        ticks = whole.column(0).to_numpy()
        cut = int(np.searchsorted(ticks, ticks[-1])) if ticks.size else 0
        if cut:
            yield whole.slice(0, cut)
        held = whole.slice(cut)
    if held is not None and held.num_rows:
        yield held
