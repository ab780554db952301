"""Which files are read, and where results may be written, before any Spark is started."""

from __future__ import annotations

import pytest

from streamframes.cli.io.inputs import format_of, source_of
from streamframes.cli.io.outputs import target_of
from streamframes.errors import InvalidArgument, StreamFramesError


def files(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")


def test_the_ending_tells_the_format():
    names = ["a.parquet", "a.csv", "A.CSV.GZ", "a.json", "a.jsonl.bz2", "a.ndjson", "a.txt", "a"]
    assert [format_of(name) for name in names] == ["parquet", "csv", "csv", "json", "json", "json", None, None]


def test_a_folder_has_the_format_of_its_visible_files(tmp_path):
    files(tmp_path, "day=1/part-0.parquet", "_SUCCESS", ".part-0.parquet.crc")
    assert source_of([str(tmp_path)], None).format == "parquet"


def test_a_glob_and_several_inputs_give_all_their_files(tmp_path):
    files(tmp_path, "a1.csv", "a2.csv.gz", "b.csv", "c.json")
    found = source_of([f"{tmp_path}/a*", f"{tmp_path}/b.csv"], None)
    assert found.format == "csv"
    assert [path.rsplit("/", 1)[1] for path in found.paths] == ["a1.csv", "a2.csv.gz", "b.csv"]


def test_characters_of_a_pattern_in_a_real_name_are_taken_as_they_are(tmp_path):
    files(tmp_path, "a[1].csv")
    assert source_of([f"{tmp_path}/a[1].csv"], None).paths == (f"{tmp_path}/a\\[1\\].csv",)


def test_a_remote_path_is_left_to_spark():
    assert source_of(["s3a://bucket/reports.parquet"], None).paths == ("s3a://bucket/reports.parquet",)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nix.csv", r"cannot read .*nix.csv: no such file or folder"),
        ("nix*.csv", r"cannot read .*nix\*.csv: no file matches"),
        ("empty", r"cannot read .*empty: the folder is empty"),
        ("_hidden.csv", r"names that begin with _ or \."),
    ],
)
def test_an_input_that_is_not_there_is_named(tmp_path, name, message):
    (tmp_path / "empty").mkdir()
    files(tmp_path, "_hidden.csv")
    with pytest.raises(StreamFramesError, match=message):
        source_of([f"{tmp_path}/{name}"], None)


def test_an_unknown_or_mixed_format_must_be_given(tmp_path):
    files(tmp_path, "a.txt", "mixed/a.csv", "mixed/a.json")
    with pytest.raises(InvalidArgument, match=r"give --input-format"):
        source_of([f"{tmp_path}/a.txt"], None)
    with pytest.raises(InvalidArgument, match=r"give --input-format"):
        source_of([f"{tmp_path}/mixed"], None)
    assert source_of([f"{tmp_path}/a.txt"], "csv").format == "csv"


def test_an_ending_makes_one_file_and_none_a_folder(tmp_path):
    chosen = [target_of(f"{tmp_path}/{name}", None, overwrite=False) for name in ("a.csv", "a.json.gz", "a")]
    assert [(each.format, each.one_file) for each in chosen] == [("csv", True), ("json", True), ("parquet", False)]


def test_what_exists_is_not_overwritten_unasked(tmp_path):
    files(tmp_path, "a.csv")
    with pytest.raises(StreamFramesError, match=r"a.csv exists already; give --overwrite"):
        target_of(f"{tmp_path}/a.csv", None, overwrite=False)
    assert target_of(f"{tmp_path}/a.csv", None, overwrite=True).overwrite


def test_a_folder_with_other_files_is_never_overwritten(tmp_path):
    files(tmp_path, "out/part-0.csv", "out/_SUCCESS", "out/thesis.tex")
    with pytest.raises(StreamFramesError, match=r"holds thesis.tex, which --overwrite would delete"):
        target_of(f"{tmp_path}/out", "csv", overwrite=True)


def test_an_unknown_ending_of_the_output_is_refused():
    with pytest.raises(InvalidArgument, match=r"--output 'a.txt' does not end in one of .parquet, .csv"):
        target_of("a.txt", None, overwrite=False)
