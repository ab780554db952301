from datetime import timedelta

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streamframes.data import freeway, packets, routers
from streamframes.data.parts import Parts
from tests.data.brute import threshold_frames
from tests.thoroughness import examples


@examples(40)
@given(
    rows=st.integers(1, 400),
    groups=st.integers(1, 9),
    seed=st.integers(0, 2**70),
    calm=st.integers(1, 20),
    longest=st.integers(7, 50),
)
def test_router_episodes_are_true_for_any_arguments(rows, groups, seed, calm, longest):
    made = routers(rows, groups, seed=seed, calm=calm, longest=longest)
    assert made.table.num_rows == rows
    assert made.episodes.to_pylist() == threshold_frames(
        made.table,
        lambda row: row["drop_pct"] > 0.3,
        lambda start, end, _: end - start >= timedelta(minutes=2),
        ts="rpt_time",
        by=("router",),
    )


@examples(15)
@given(
    stations=st.integers(1, 14),
    seed=st.integers(0, 2**32),
    missing=st.floats(0, 0.99),
    shape=st.sampled_from(["box", "wedge"]),
)
def test_freeway_episodes_are_true_for_any_arguments(stations, seed, missing, shape):
    made = freeway(stations, 9, seed=seed, missing=missing, shape=shape)
    assert made.table.num_rows == made.num_rows
    assert made.episodes.to_pylist() == threshold_frames(
        made.table,
        lambda row: row["speed"] < 40,
        lambda start, end, _: end - start >= timedelta(minutes=3),
        ts="ts",
        by=("highway", "station"),
    )


@examples(40)
@given(
    rows=st.integers(1, 400),
    links=st.integers(1, 9),
    seed=st.integers(0, 2**70),
    shape=st.floats(1.001, 1e300),
    smallest=st.integers(1, 20),
    calm=st.integers(1, 20),
    rate=st.sampled_from([1, 7, 400, 999_999, 1_000_000]),
    background=st.integers(0, 200),
)
def test_bursts_of_packets_are_true_for_any_arguments(rows, links, seed, background, **options):
    made = packets(rows, links, seed=seed, background=background, **options)
    assert made.table.num_rows == rows
    assert made.episodes.to_pylist() == threshold_frames(
        made.table, lambda row: row["bytes"] > 2 * background, lambda *_: True, ts="ts", by=("link",)
    )


@given(span=st.integers(0, 40), step=st.integers(1, 12), files=st.integers(1, 50))
def test_cutting_parts_into_files_loses_nothing_and_keeps_the_order(span, step, files):
    schema = pa.schema({"x": pa.int64()})
    parts = Parts(schema, span, step, lambda _, low, high: pa.table({"x": range(low, high)}, schema=schema))
    shares = [[x for piece in file for x in piece["x"].to_pylist()] for file in parts.files(files)]
    assert len(shares) == files
    assert [x for share in shares for x in share] == list(range(span))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
