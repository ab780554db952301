"""Spanning: a root that has its parts in many places.

Each place tells what the root would have received there, by measure and instant, as accumulators; they are merged in
the order of instants. Nothing about them depends on where an event was.

  bucket 1   (ticks, measure, words) ─┐
  bucket 2   (ticks, measure, words) ─┼──> merged, in order ──> measures of the root
  bucket 3   (ticks, measure, words) ─┘

What is sent says itself how it is merged, so that who merges need not know which measures there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.language.nodes import FIRST, LAST, ON_CLOSE, Measure, Node
from streamframes.core.sessions.language.terms import DOUBLE, DURATION
from streamframes.core.sessions.vm import layout as tables
from streamframes.core.sessions.vm.accumulators import BLANK, MOST_WORDS, add, is_read, merge, read_double
from streamframes.core.sessions.vm.bits import is_null
from streamframes.errors import StreamFramesError

# The columns of a measure on its way (`class` is no name that pandas can carry), and of what a root has received: the
# accumulator, what averages and results of durations are divided by, whether it is a double, and since which order.
TOLD = ("ticks", "name", "id", "measure", "value")
HOW = ("code", "scale", "divisor", "is_double", "birth")
SCHEMA = pa.schema(
    [
        ("ticks", pa.int64()),
        ("name", pa.string()),
        ("id", pa.int64()),
        ("measure", pa.string()),
        ("value", pa.float64()),
        *((name, pa.int64()) for name in HOW),
        ("words", pa.binary()),
    ]
)
# So many rows are merged at once.
AT_ONCE = 200_000
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
        size = _gathered(here[np.argsort(here[:, 0], kind="stable")], code, blank, out)
        if size < 0:
            raise StreamFramesError(_TOO_LARGE)
        # One row for all: the first instant, and a line of instant and words for each.
        lines = pa.compress(out[:size].tobytes(), "lz4_raw", asbytes=True)
        known = (
            code,
            second if kind == DURATION else 1,
            second if node.type == DURATION else 1,
            int(node.type == DOUBLE),
            births.get(measure.name, 0),
        )
        row = [int(out[0, 0]), None, size, measure.name, None, *known, lines]
        yield pa.RecordBatch.from_arrays(
            [pa.array([x], kind) for x, kind in zip(row, SCHEMA.types, strict=True)], schema=SCHEMA
        )


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


class _Kept:
    """A measure of the root: how it is merged, its accumulator, what was told, and lines that wait."""

    def __init__(self, how: Sequence[int], total: np.ndarray | None = None, told: np.ndarray | None = None) -> None:
        self.code, self.scale, self.divisor, self.is_double, self.birth = how
        blank = np.zeros(MOST_WORDS, np.int64)
        blank[: len(BLANK[self.code])] = BLANK[self.code]
        self.total = blank if total is None else total
        self.told = np.zeros(2, np.int64) if told is None else told
        self.waiting: list[np.ndarray] = []

    @property
    def how(self) -> list[int]:
        """How it is merged."""
        return [self.code, self.scale, self.divisor, self.is_double, self.birth]

    def merge(self, bound: int | None, *, each: bool) -> np.ndarray:
        """Merge the lines before an instant (None: all); returns instant and word of each value that is new."""
        if not self.waiting:
            return np.empty((0, 2), np.int64)
        lines = np.concatenate(self.waiting)
        if bound is not None:
            later = lines[:, 0] >= bound
            self.waiting = [lines[later]]
            lines = lines[~later]
        else:
            self.waiting = []
        # Within an instant the order does not matter: sums are pairs.
        lines = lines[np.argsort(lines[:, 0], kind="stable")]
        out = np.zeros((len(lines), 2), np.int64)
        given = np.ascontiguousarray(lines[:, 1:])
        ticks = np.ascontiguousarray(lines[:, 0])
        is_double = bool(self.is_double)
        size = _merged(ticks, given, self.code, self.scale, is_double, self.total, self.told, each, out)
        if size < 0:
            raise StreamFramesError(_TOO_LARGE)
        return out[:size]

    def values(self, words: np.ndarray) -> np.ndarray:
        """Words as numbers; durations in seconds."""
        words = np.ascontiguousarray(words)
        return words.view(np.float64) if self.is_double else words / self.divisor


class Spanning:
    """The root, put together from what its places have received."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.measures: dict[str, _Kept] = {}

    def take(self, batch: pa.RecordBatch) -> None:
        """Take what places have received; it waits to be merged."""
        for row in batch.select(["measure", "id", *HOW, "words"]).to_pylist():
            how = [row[name] for name in HOW]
            kept = self.measures.get(row["measure"])
            if kept is None or kept.birth < row["birth"]:
                kept = self.measures[row["measure"]] = _Kept(how)
            elif kept.birth > row["birth"]:
                continue
            width = 1 + MOST_WORDS
            data = pa.decompress(row["words"], 8 * width * row["id"], "lz4_raw", asbytes=True)
            kept.waiting.append(np.frombuffer(data, np.int64).reshape(-1, width))

    @property
    def n_waiting(self) -> int:
        """How many lines wait."""
        return sum(len(lines) for kept in self.measures.values() for lines in kept.waiting)

    def told(self, bound: int | None = None, *, each: bool) -> Iterator[pa.RecordBatch]:
        """Merge what waits, up to a bound; the measures that are new, as rows: one an instant, or one for all."""
        for measure, kept in self.measures.items():
            found = kept.merge(bound, each=each)
            if len(found):
                columns = [
                    pa.array(found[:, 0].copy()),
                    pa.repeat(self.name, len(found)),
                    pa.array(np.full(len(found), self.number)),
                    pa.repeat(measure, len(found)),
                    pa.array(kept.values(found[:, 1])),
                ]
                yield pa.RecordBatch.from_arrays(columns, list(TOLD))

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {name: {"how": kept.how, "total": kept.total, "told": kept.told} for name, kept in self.measures.items()}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.measures = {name: _Kept(kept["how"], kept["total"], kept["told"]) for name, kept in saved.items()}


def merged(root: Spanning, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All measures, from rows sorted by their first instant: a row of the root for each change, others as they are.

    A row that starts at an instant proves that all before has been seen: what waits is only what overlaps.
    """
    wanted = AT_ONCE
    for batch in batches:
        partial = batch.column("code").is_valid()
        yield batch.filter(pc.invert(partial)).select(list(TOLD))
        received = batch.filter(partial)
        for i in range(received.num_rows):
            if root.n_waiting >= wanted:
                yield from root.told(received.column("ticks")[i].as_py(), each=True)
                wanted = max(AT_ONCE, 2 * root.n_waiting)
            root.take(received.slice(i, 1))
    yield from root.told(each=True)
