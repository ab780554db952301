"""State trees: what a snapshot is made of, and its parts read back with their types.

A tree has names, numbers, text and arrays, and other trees below it. `operator.state_codec` writes it as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.errors import StreamFramesError

Node: TypeAlias = "bool | int | float | str | np.ndarray | pa.Array | Sequence[Node] | Mapping[str, Node] | None"
Tree: TypeAlias = "dict[str, Node]"


def array_at(tree: Tree, name: str) -> np.ndarray:
    """The NumPy array of this name."""
    found = tree.get(name)
    if not isinstance(found, np.ndarray):
        raise _lacking("array", name)
    return found


def arrow_at(tree: Tree, name: str) -> pa.Array:
    """The Arrow array of this name."""
    found = tree.get(name)
    if not isinstance(found, pa.Array):
        raise _lacking("column", name)
    return found


def number_at(tree: Tree, name: str) -> int:
    """The whole number of this name."""
    found = tree.get(name)
    if not isinstance(found, int):
        raise _lacking("number", name)
    return found


def float_at(tree: Tree, name: str) -> float:
    """The number of this name."""
    found = tree.get(name)
    if not isinstance(found, int | float):
        raise _lacking("number", name)
    return float(found)


def tree_at(tree: Tree, name: str) -> Tree:
    """The tree of this name."""
    found = tree.get(name)
    if not isinstance(found, dict):
        raise _lacking("part", name)
    return found


def trees_at(tree: Tree, name: str) -> list[Tree]:
    """The trees in the list of this name."""
    found = tree.get(name)
    if not isinstance(found, list | tuple) or not all(isinstance(each, dict) for each in found):
        raise _lacking("list", name)
    return [each for each in found if isinstance(each, dict)]


def _lacking(what: str, name: str) -> StreamFramesError:
    return StreamFramesError(f"the checkpoint holds no {what} {name!r}; start with a new checkpoint location")
