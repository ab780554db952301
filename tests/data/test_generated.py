import json

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest

import streamframes.data
from streamframes.data import GENERATORS, Generated, building, calls, freeway, packets, pitch, probes, routers, tow
from streamframes.data.parts import Parts
from streamframes.errors import InvalidArgument, StreamFramesError

SMALL = {
    "building": lambda seed: building(floors=2, hours=2, people=41, seed=seed),
    "calls": lambda seed: calls(60, channels=4, seed=seed),
    "freeway": lambda seed: freeway(stations=3, hours=3, seed=seed, missing=0.1),
    "packets": lambda seed: packets(rows=3_001, links=4, seed=seed, background=40),
    "pitch": lambda seed: pitch(1, players=2, rate=10, ball_rate=30, seed=seed),
    "probes": lambda seed: probes(30, stations=4, hours=3, seed=seed),
    "routers": lambda seed: routers(rows=3_001, routers=4, seed=seed),
    "tow": lambda seed: tow(rows=5_000, seed=seed),
}


def everything(made):
    return {name: parts.table() for name, parts in made.tables.items()}


def test_every_generator_is_listed_and_the_names_are_sorted():
    assert list(GENERATORS) == sorted(GENERATORS)
    assert set(GENERATORS) == set(SMALL)
    assert sorted(streamframes.data.__all__) == sorted(
        {
            "GENERATORS",
            "CallData",
            "FreewayData",
            "Generated",
            "MatchData",
            "ProbeData",
            "RouterData",
            "figure_call",
            "packet_values",
        }
        | set(GENERATORS)
    )


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_data_and_another_seed_other_data(name):
    first, again, other = (everything(SMALL[name](seed)) for seed in (3, 3, 4))
    assert all(first[table].equals(again[table]) for table in first)
    assert not first["rows"].equals(other["rows"])


@pytest.mark.parametrize("name", SMALL)
def test_the_same_seed_gives_the_same_bytes(name, tmp_path):
    paths = [SMALL[name](3).write(tmp_path / run, files=2) for run in ("first", "again")]
    first, again = ([path.read_bytes() for path in run] for run in paths)
    assert first == again


@pytest.mark.parametrize("name", SMALL)
def test_the_number_of_rows_is_known_before_they_are_made(name):
    made = SMALL[name](5)
    assert made.num_rows == made.table.num_rows
    assert made.table.schema == made.tables["rows"].schema


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("files", [1, 3, 8])
def test_parquet_files_in_order_hold_the_table(name, files, tmp_path):
    made = SMALL[name](6)
    paths = made.write(tmp_path / "rows", files=files)
    assert len(paths) == files
    assert sorted((tmp_path / "rows").iterdir()) == paths
    assert pa.concat_tables([pq.read_table(path) for path in paths]).equals(made.table)


def test_many_parts_written_over_files_are_the_table(tmp_path):
    made = routers(rows=900_001, routers=3, seed=7)
    paths = made.write(tmp_path / "rows", files=5)
    sizes = [pq.read_metadata(path).num_rows for path in paths]
    assert max(sizes) - min(sizes) <= 3
    assert pa.concat_tables([pq.read_table(path) for path in paths]).equals(made.table)


def test_csv_files_hold_the_table(tmp_path):
    made = routers(rows=1_000, routers=4, seed=8)
    paths = made.write(tmp_path / "rows", files=3, format="csv")
    types = pa_csv.ConvertOptions(column_types=made.table.schema)
    read = pa.concat_tables([pa_csv.read_csv(path, convert_options=types) for path in paths])
    assert read.equals(made.table)
    assert "T00:00:" in paths[0].read_text().splitlines()[1]


@pytest.mark.parametrize("name", SMALL)
def test_json_lines_hold_the_table(name, tmp_path):
    made = SMALL[name](9)
    paths = made.write(tmp_path / "rows", files=3, format="json")
    rows = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    expected = made.table.to_pylist()
    for row in expected:
        for name, value in row.items():
            if hasattr(value, "isoformat"):
                row[name] = value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert rows == expected


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_the_other_tables_can_be_written_too(format, tmp_path):
    made = freeway(stations=6, hours=24, seed=10)
    paths = made.write(tmp_path / "regions", files=1, format=format, table="regions")
    if format == "parquet":
        assert pq.read_table(paths[0]).equals(made.regions)
    else:
        lines = paths[0].read_text().splitlines()
        assert len(lines) - (format == "csv") == made.regions.num_rows > 0


def test_more_files_than_rows_leaves_some_empty(tmp_path):
    made = tow(rows=3)
    for format in ("parquet", "csv", "json"):
        paths = made.write(tmp_path / format, files=5, format=format)
        assert len(paths) == 5
    read = [pq.read_table(path) for path in sorted((tmp_path / "parquet").iterdir())]
    assert pa.concat_tables(read).equals(made.table)


def test_modification_times_follow_the_order_of_the_files(tmp_path):
    paths = routers(rows=100).write(tmp_path / "rows", files=4)
    times = [path.stat().st_mtime_ns for path in paths]
    assert times == sorted(set(times))


def test_nothing_is_mixed_into_a_folder_in_use(tmp_path):
    made = tow(rows=10)
    made.write(tmp_path / "rows", files=1)
    with pytest.raises(InvalidArgument, match=r"write\(\) got folder='.*rows', which is in use"):
        made.write(tmp_path / "rows", files=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "orc"}, "format='orc'; it must be one of 'csv', 'json', 'parquet'"),
        ({"files": 0}, "files=0; it must be a whole number of at least 1"),
        ({"table": "commands"}, "table='commands'; it must be one of 'episodes', 'rows'"),
    ],
)
def test_an_impossible_argument_of_write_is_named_and_nothing_is_made(options, message, tmp_path):
    with pytest.raises(StreamFramesError, match=message):
        tow(rows=10).write(tmp_path / "rows", **options)
    assert not (tmp_path / "rows").exists()


class FakeSession:
    def createDataFrame(self, data):
        return ("DataFrame", data)


def test_a_spark_session_gets_the_table():
    made = routers(rows=100, routers=2)
    assert made.toDF(FakeSession()) == ("DataFrame", made.table)
    _, commands = made.toDF(FakeSession(), table="commands")
    assert commands.equals(made.commands)
    with pytest.raises(InvalidArgument, match=r"toDF\(\) got table='jams'"):
        made.toDF(FakeSession(), table="jams")


def test_parts_are_made_only_when_they_are_needed():
    made_parts = []

    def make(part, low, high):
        made_parts.append(part)
        return pa.table({"x": range(low, high)})

    parts = Parts(pa.schema({"x": pa.int64()}), span=10, step=3, make=make)
    files = parts.files(5)
    assert [piece["x"].to_pylist() for piece in next(files)] == [[0, 1]]
    assert made_parts == [0]
    assert [piece["x"].to_pylist() for piece in next(files)] == [[2], [3]]
    assert made_parts == [0, 1]


def test_a_value_cannot_be_changed_and_describes_itself():
    made = tow(rows=2_000)
    assert isinstance(made, Generated)
    assert repr(made).startswith("<tow: 2,000 rows, ")
    with pytest.raises(AttributeError):
        made.name = "other"


def test_the_largest_sizes_cost_nothing_until_rows_are_needed():
    made = routers(rows=10**8, routers=1_000)
    parts = made.tables["rows"]
    last = (parts.span - 1) // parts.step
    assert parts.make(last, last * parts.step, parts.span).num_rows > 0
    assert made.episodes.num_rows > 10_000
