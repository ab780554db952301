"""Merge: a root that has its parts in many places.

Each place sends what the root would have received there (`partials`); it is merged in the order of instants. Nothing
about it depends on where an event was.

  bucket 1   (ticks, measure, words) ─┐
  bucket 2   (ticks, measure, words) ─┼──> merged, in order ──> measures of the root
  bucket 3   (ticks, measure, words) ─┘
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.tree import Tree, array_at, tree_at
from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels.accumulators import BLANK, MOST_WORDS, is_read, merge, read_double
from streamframes.core.sessions.kernels.fields import is_null
from streamframes.core.sessions.partials import HOW, READING, TOO_LARGE
from streamframes.errors import StreamFramesError

# So many rows are merged at once.
AT_ONCE = 200_000


@compiled
def _merged(
    ticks: Any, given: Any, code: Any, scale: Any, is_double: Any, total: Any, emitted: Any, each: bool, out: Any
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
        if not is_null(word[0], is_double) and not (emitted[0] and emitted[1] == word[0]):
            emitted[0], emitted[1] = 1, word[0]
            out[n, 0], out[n, 1] = ticks[end - 1], word[0]
            n += 1
        k = end
    return n


class _RootMeasure:
    """A measure of the root: how it is merged, its accumulator, what was emitted, and lines that wait."""

    def __init__(self, how: Sequence[int], total: np.ndarray | None = None, emitted: np.ndarray | None = None) -> None:
        self.code, self.scale, self.divisor, self.is_double, self.birth = how
        blank = np.zeros(MOST_WORDS, np.int64)
        blank[: len(BLANK[self.code])] = BLANK[self.code]
        self.total = blank if total is None else total
        self.emitted = np.zeros(2, np.int64) if emitted is None else emitted
        self.waiting: list[np.ndarray] = []

    @staticmethod
    def restored(saved: Tree) -> _RootMeasure:
        """From the state."""
        how = saved.get("how")
        if not isinstance(how, list | tuple):
            raise StreamFramesError("the checkpoint holds no 'how' of a measure; start with a new checkpoint location")
        numbers = [each for each in how if isinstance(each, int)]
        return _RootMeasure(numbers, array_at(saved, "total"), array_at(saved, "emitted"))

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
        size = _merged(ticks, given, self.code, self.scale, is_double, self.total, self.emitted, each, out)
        if size < 0:
            raise StreamFramesError(TOO_LARGE)
        return out[:size]

    def values(self, words: np.ndarray) -> np.ndarray:
        """Words as numbers; durations in seconds."""
        words = np.ascontiguousarray(words)
        return words.view(np.float64) if self.is_double else words / self.divisor


class MergedRoot:
    """The root, put together from what its places have received."""

    def __init__(self, name: str, number: int) -> None:
        self.name = name
        self.number = number
        self.measures: dict[str, _RootMeasure] = {}

    def take(self, batch: pa.RecordBatch) -> None:
        """Take what places have received; it waits to be merged."""
        for row in batch.select(["measure", "id", *HOW, "words"]).to_pylist():
            how = [row[name] for name in HOW]
            measure = self.measures.get(row["measure"])
            if measure is None or measure.birth < row["birth"]:
                measure = self.measures[row["measure"]] = _RootMeasure(how)
            elif measure.birth > row["birth"]:
                continue
            width = 1 + MOST_WORDS
            data = pa.decompress(row["words"], 8 * width * row["id"], "lz4_raw", asbytes=True)
            measure.waiting.append(np.frombuffer(data, np.int64).reshape(-1, width))

    @property
    def n_waiting(self) -> int:
        """How many lines wait."""
        return sum(len(lines) for measure in self.measures.values() for lines in measure.waiting)

    def merge(self, bound: int | None = None, *, each: bool) -> Iterator[pa.RecordBatch]:
        """Merge what waits, up to a bound; the measures that are new, as rows: one an instant, or one for all."""
        for name, measure in self.measures.items():
            new = measure.merge(bound, each=each)
            if len(new):
                columns = [
                    pa.array(new[:, 0].copy()),
                    pa.repeat(self.name, len(new)),
                    pa.array(np.full(len(new), self.number)),
                    pa.repeat(name, len(new)),
                    pa.array(measure.values(new[:, 1])),
                ]
                yield pa.RecordBatch.from_arrays(columns, list(READING))

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            name: {"how": each.how, "total": each.total, "emitted": each.emitted}
            for name, each in self.measures.items()
        }

    def restore(self, saved: Tree) -> None:
        """Go on from what was saved."""
        self.measures = {name: _RootMeasure.restored(tree_at(saved, name)) for name in saved}


def merged(root: MergedRoot, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """All measures, from rows sorted by their first instant: a row of the root for each change, others as they are.

    A row that starts at an instant proves that all before has been seen: what waits is only what overlaps.
    """
    wanted = AT_ONCE
    for batch in batches:
        partial = batch.column("code").is_valid()
        yield batch.filter(pc.invert(partial)).select(list(READING))
        received = batch.filter(partial)
        for i in range(received.num_rows):
            if root.n_waiting >= wanted:
                yield from root.merge(received.column("ticks")[i].as_py(), each=True)
                wanted = max(AT_ONCE, 2 * root.n_waiting)
            root.take(received.slice(i, 1))
    yield from root.merge(each=True)
