"""State trees: parts are read with their types, and what is missing is said by name."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from streamframes.core.batch.tree import Tree, array_at, arrow_at, number_at, tree_at, trees_at
from streamframes.errors import StreamFramesError

TREE: Tree = {"a": np.arange(3), "b": pa.array(["x"]), "n": 7, "t": {"n": 8}, "l": [{"n": 9}]}


def test_parts_come_with_their_types() -> None:
    assert array_at(TREE, "a").tolist() == [0, 1, 2]
    assert arrow_at(TREE, "b").to_pylist() == ["x"]
    assert number_at(tree_at(TREE, "t"), "n") == 8
    assert [number_at(each, "n") for each in trees_at(TREE, "l")] == [9]


@pytest.mark.parametrize("read", [array_at, arrow_at, number_at, tree_at, trees_at])
def test_what_is_missing_or_of_another_type_is_named(read: object) -> None:
    assert callable(read)
    for name in ("nothing", "text"):
        with pytest.raises(StreamFramesError, match=f"{name!r}; start with a new checkpoint location"):
            read({"text": "x"}, name)
