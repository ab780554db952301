"""Whether the instants of a row group that is read in several batches rise."""

from __future__ import annotations

import hypothesis.strategies as st
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings

from streamframes.core.batch.packer import Layout
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
