"""Which row groups have groups of their own, and whether the instants of one that is read in several batches rise."""

from __future__ import annotations

from pathlib import Path

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import write_deltalake
from hypothesis import given, settings

from streamframes.core.batch.packer import Layout
from streamframes.core.files.logs.opened import open_table
from streamframes.core.files.parquet import reader
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.projection import Selection

instants = st.lists(st.none() | st.integers(-5, 5), max_size=30)


@settings(deadline=None)
@given(values=instants | instants.map(lambda some: sorted(each for each in some if each is not None)))
def test_instants_are_read_batch_by_batch(tmp_path_factory: pytest.TempPathFactory, values: list[int | None]) -> None:
    path = tmp_path_factory.mktemp("files") / "a.parquet"
    pq.write_table(pa.table({"ts": pa.array(values, pa.int64())}), path, row_group_size=20, write_statistics=False)
    present = [each for each in values[:20] if each is not None]
    selection = Selection(open_dataset(path), Layout(pa.schema([]), pa.int64(), ()), ("ts",))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "WIDEST", 60)
        rising = [selection.reader().is_rising(group) for group in selection.row_groups[:1]]
    assert rising == ([present == sorted(present)] if values else [])


def test_folders_that_say_the_same_in_other_words_are_one_group(tmp_path: Path) -> None:
    for number, name in enumerate(("k=1", "k=01", "k=2")):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"ts": [number]}), tmp_path / name / "a.parquet")
    keys = pa.schema([("k", pa.int32())])
    selection = Selection(open_dataset(tmp_path), Layout(keys, pa.int64(), ()), ("k", "ts"))
    assert sorted(len(chain) for chain in selection.chains) == [1, 2]


def test_a_column_that_only_some_files_have_tells_no_groups_apart(tmp_path: Path) -> None:
    write_deltalake(tmp_path, pa.table({"ts": [1]}))
    write_deltalake(
        tmp_path, pa.table({"ts": [2], "k": pa.array([None], pa.string())}), mode="append", schema_mode="merge"
    )
    keys = pa.schema([("k", pa.string())])
    selection = Selection(open_table(tmp_path, format="delta"), Layout(keys, pa.int64(), ()), ("k", "ts"))
    assert [len(chain) for chain in selection.chains] == [2]
