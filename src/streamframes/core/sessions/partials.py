"""Partials: what a root has received in one of its places, as accumulators by measure and instant.

What is sent says itself how it is merged, so that the merging need not know which measures there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels.accumulators import BLANK, MOST_WORDS, add, code_of, input_type
from streamframes.core.sessions.language.nodes import FIRST, LAST, ON_CLOSE, Measure, Node
from streamframes.core.sessions.language.terms import DOUBLE, DURATION
from streamframes.errors import StreamFramesError

# The columns of a measure on its way (`class` is no name that pandas can carry), and of what a root has received: the
# accumulator, what averages and results of durations are divided by, whether it is a double, and since which command.
READING = ("ticks", "name", "id", "measure", "value")
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
TOO_LARGE = "a sum of whole numbers in a session is too large for a long; cast it to double"


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
        kind = input_type(nodes, node)
        code = code_of(nodes, node)
        blank = np.zeros(MOST_WORDS, np.int64)
        blank[: len(BLANK[code])] = BLANK[code]
        out = np.zeros((here.shape[0], 1 + MOST_WORDS), np.int64)
        size = _gathered(here[np.argsort(here[:, 0], kind="stable")], code, blank, out)
        if size < 0:
            raise StreamFramesError(TOO_LARGE)
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
