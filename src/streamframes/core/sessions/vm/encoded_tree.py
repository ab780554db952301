"""The encoded tree: a resolved tree of sessions as one array of words, which the engine reads.

All that the engine must know of a class is in its row: how a session is found, its programs, and where the lists of its
parts, of its nodes that read events, of its measures and of the columns of its results are (`kernels.fields`).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from streamframes.core.sessions.kernels.arrays import MOST_VALUES, RESULT
from streamframes.core.sessions.kernels.fields import CLASS, TREE
from streamframes.core.sessions.language.nodes import Class, Measure, Node
from streamframes.core.sessions.string_ids import StringIds
from streamframes.core.sessions.vm.layout import Place
from streamframes.core.sessions.vm.tree_rows import ResultColumn, TreeRows
from streamframes.errors import InvalidArgument


@dataclass
class EncodedTree:
    """The words of a tree, and what must be known of the records outside of the engine."""

    words: np.ndarray
    widths: list[int]
    node_places: list[int]
    n_lanes: int
    n_ahead: int
    places: dict[Hashable, Place]


def encode(
    classes: Sequence[Class],
    nodes: Sequence[Node],
    measures: Sequence[Measure],
    columns: Sequence[Sequence[ResultColumn]],
    *,
    salts: Sequence[int],
    strings: StringIds | None,
    ticks_per_second: int,
    merges_root: bool,
) -> EncodedTree:
    """The words of a tree; `merges_root` says that what the root receives is a result, to be merged elsewhere."""
    rows = TreeRows(classes, nodes, measures, columns, strings)
    for i in range(len(nodes)):
        rows.write(rows.node_at(i), rows.node_row(i, ticks_per_second))
    for i in range(len(classes)):
        rows.write(rows.classes_at + i * len(CLASS), rows.class_row(i, salts[i]))
    layout, timed, ahead = rows.layout, rows.timed, rows.ahead
    widths = [layout.width(i) for i in range(len(classes))]
    head = {
        TREE.classes: rows.classes_at,
        TREE.nodes: rows.nodes_at,
        TREE.n_classes: len(classes),
        TREE.n_nodes: len(nodes),
        TREE.ticks_per_second: ticks_per_second,
        TREE.merges_root: int(merges_root),
        TREE.has_matches: int(any(each.matches is not None for each in classes)),
        TREE.n_windows: sum(node.is_windowed for node in nodes),
        TREE.width: sum(widths),
        TREE.n_lanes: len(timed),
        TREE.n_measures: len(measures),
        TREE.timed: rows.listed(timed)[0],
        TREE.ahead: rows.listed([word for i in ahead for word in rows.ahead_row(i)])[0],
        TREE.n_ahead: len(ahead),
        TREE.result_width: len(RESULT) + 1 + max((each.number for own in columns for each in own), default=-1),
    }
    rows.write(0, head)
    if rows.programs.deepest > MOST_VALUES:
        raise InvalidArgument(f"a condition holds {rows.programs.deepest} values at once; {MOST_VALUES} are possible")
    words = np.array(rows.words, np.int64)
    return EncodedTree(words, widths, layout.node_places, len(timed), len(ahead), layout.places)
