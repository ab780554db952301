"""What paths, folders, patterns and URIs stand for.

Covers: streamframes.core.files.parquet.hive
"""

from __future__ import annotations

from pathlib import Path

import pytest
from pyarrow import fs

from streamframes.core.files.parquet.hive import partition
from streamframes.core.files.parquet.listing import File, list_files
from streamframes.errors import InvalidArgument


def written(folder: Path, *names: str) -> Path:
    """A folder with files that nobody reads."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"12345")
    return folder


def names_found(folder: Path, paths: object) -> list[str]:
    _, files, _ = list_files(paths)
    return [Path(file.path).relative_to(folder).as_posix() for file in files]


def test_a_file_is_taken_whatever_its_name_is(tmp_path):
    written(tmp_path, "_events.data")
    _, files, root = list_files(tmp_path / "_events.data")
    assert files == [File((tmp_path / "_events.data").as_posix(), 5)]
    assert root is None


def test_paths_are_given_alone_or_in_a_list_and_come_sorted_and_once(tmp_path):
    written(tmp_path, "b.parquet", "a.parquet")
    given = [tmp_path / "b.parquet", str(tmp_path / "a.parquet"), f"{tmp_path}/*"]
    assert names_found(tmp_path, given) == ["a.parquet", "b.parquet"]


def test_a_relative_path_is_relative_to_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(written(tmp_path, "data/a.parquet"))
    assert names_found(tmp_path, "data/*.parquet") == ["data/a.parquet"]
    assert names_found(tmp_path, "./data") == ["data/a.parquet"]


def test_a_folder_is_every_parquet_file_below_it(tmp_path):
    written(tmp_path, "a.parquet", "x/b.PARQUET", "x/y/c.pq", "x/d.parq", "readme.txt", "e.parquet.crc")
    assert names_found(tmp_path, str(tmp_path)) == ["a.parquet", "x/b.PARQUET", "x/d.parq", "x/y/c.pq"]
    assert names_found(tmp_path, f"{tmp_path}/x/") == ["x/b.PARQUET", "x/d.parq", "x/y/c.pq"]


def test_hidden_files_and_folders_are_passed_over(tmp_path):
    written(tmp_path, "a.parquet", "_b.parquet", ".c.parquet", "_temporary/d.parquet", ".e/f.parquet")
    for given in (tmp_path, f"{tmp_path}/*", f"{tmp_path}/**/*.parquet", f"{tmp_path}/**"):
        assert names_found(tmp_path, given) == ["a.parquet"]
    assert names_found(tmp_path, f"{tmp_path}/_*/*.parquet") == ["_temporary/d.parquet"]
    assert names_found(tmp_path, tmp_path / "_temporary") == ["_temporary/d.parquet"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.parquet", ["1.parquet", "2.parquet"]),
        ("?.parquet", ["1.parquet", "2.parquet"]),
        ("[!1].parquet", ["2.parquet"]),
        ("x*/*.parquet", ["x1/3.parquet", "x2/4.parquet"]),
        ("x[1]", ["x1/3.parquet"]),
        ("*", ["1.parquet", "2.parquet", "x1/3.parquet", "x2/4.parquet", "x2/y/5.parquet"]),
        ("*/y/*.parquet", ["x2/y/5.parquet"]),
        ("**/[35].parquet", ["x1/3.parquet", "x2/y/5.parquet"]),
        ("**/2.parquet", ["2.parquet"]),
        ("**/y/**/5.*", ["x2/y/5.parquet"]),
        ("x2/**", ["x2/4.parquet", "x2/y/5.parquet"]),
    ],
)
def test_a_pattern_is_what_matches_part_by_part(tmp_path, pattern, expected):
    written(tmp_path, "1.parquet", "2.parquet", "x1/3.parquet", "x2/4.parquet", "x2/y/5.parquet")
    assert names_found(tmp_path, f"{tmp_path}/{pattern}") == expected
    assert names_found(tmp_path, f"file://{tmp_path}/{pattern}") == expected


def test_a_pattern_takes_a_file_whatever_its_name_ends_in(tmp_path):
    written(tmp_path, "part-00000", "part-00001")
    assert names_found(tmp_path, f"{tmp_path}/part-*") == ["part-00000", "part-00001"]


def test_a_name_with_wildcards_that_exists_is_a_name(tmp_path):
    written(tmp_path, "a[1].parquet", "a1.parquet")
    assert names_found(tmp_path, tmp_path / "a[1].parquet") == ["a[1].parquet"]


def test_a_uri_is_a_path_and_its_filesystem(tmp_path):
    written(tmp_path, "a b/c.parquet")
    filesystem, files, _ = list_files([f"file://{tmp_path}/a%20b/c.parquet", f"file://{tmp_path}/a%20b/*.parquet"])
    assert isinstance(filesystem, fs.LocalFileSystem)
    assert [file.path for file in files] == [f"{tmp_path}/a b/c.parquet"]


@pytest.mark.parametrize("given", ["data", "data/", "*", "data/*/*.parquet", "**/c.parquet"])
def test_paths_lie_inside_the_filesystem_that_is_given(tmp_path, given):
    inside = fs.SubTreeFileSystem(str(written(tmp_path, "data/b/c.parquet")), fs.LocalFileSystem())
    filesystem, files, _ = list_files(given, inside)
    assert filesystem is inside
    assert files == [File("data/b/c.parquet", 5)]


def test_a_filesystem_that_is_not_local_is_listed_in_the_same_way():
    memory = fs._MockFileSystem()
    memory.create_dir("bucket/day=1")
    for name in ("a.parquet", "_b.parquet"):
        with memory.open_output_stream(f"bucket/day=1/{name}") as out:
            out.write(b"123")
    for given in ("bucket", "bucket/*/*.parquet", "**/?.parquet"):
        _, files, root = list_files(given, memory)
        assert files == [File("bucket/day=1/a.parquet", 3, (("day", "1"),))]
        assert root == "bucket"


def test_paths_on_two_filesystems_are_refused(tmp_path):
    written(tmp_path, "a.parquet")
    with pytest.raises(InvalidArgument, match=r"'mock:///a.parquet', which lie on different filesystems"):
        list_files([tmp_path / "a.parquet", "mock:///a.parquet"])


def test_hive_folders_are_columns_below_a_root(tmp_path):
    written(tmp_path, "t/day=2024-01-01/name=a%20b/x.parquet", "t/day=2024-01-02/name=__HIVE_DEFAULT_PARTITION__/y.pq")
    _, files, root = list_files(tmp_path / "t")
    assert [file.partition for file in files] == [
        (("day", "2024-01-01"), ("name", "a b")),
        (("day", "2024-01-02"), ("name", None)),
    ]
    assert root == f"{tmp_path}/t"
    assert list_files(f"{tmp_path}/t/day=2024-01-01/*")[2] == root


def test_the_hive_folders_that_stand_together_last_are_the_columns():
    assert partition("run=1/data/day=2/hour=3/x") == ("run=1/data", (("day", "2"), ("hour", "3")))
    assert partition("t/day=2/more/x") == ("t", (("day", "2"),))
    assert partition("/day=2/x") == ("/", (("day", "2"),))
    assert partition("t/day=2.parquet") == (None, ())


def test_folders_above_a_relative_path_are_no_columns(tmp_path, monkeypatch):
    monkeypatch.chdir(written(tmp_path / "run=7", "day=1/x.parquet", "y/z.parquet"))
    assert list_files("day=1")[1][0].partition == (("day", "1"),)
    assert list_files("y")[1][0].partition == ()
    assert list_files("y")[2] is None


def test_hive_columns_must_be_the_same_in_all_files(tmp_path):
    written(tmp_path, "day=1/x.parquet", "hour=1/y.parquet")
    with pytest.raises(InvalidArgument, match=r"hour=1/y.parquet', whose folders have the columns hour.*have day"):
        list_files(tmp_path)


def test_hive_folders_must_have_one_root(tmp_path):
    written(tmp_path, "a/day=1/x.parquet", "b/day=1/y.parquet")
    with pytest.raises(InvalidArgument, match=r"begin below '.*/b' and below '.*/a'; scan each alone"):
        list_files(tmp_path)


def test_no_path_is_refused():
    with pytest.raises(InvalidArgument, match=r"scan\(\) got no path; give a file"):
        list_files([])
    with pytest.raises(InvalidArgument, match="got the path ''"):
        list_files("")


def test_a_path_that_does_not_exist_is_named(tmp_path):
    written(tmp_path, "a.parquet")
    with pytest.raises(InvalidArgument, match=r"got '.*/b.parquet', which does not exist"):
        list_files([tmp_path / "a.parquet", tmp_path / "b.parquet"])
    with pytest.raises(InvalidArgument, match=r"nowhere/\*.parquet', a pattern that no Parquet file matches"):
        list_files(f"{tmp_path}/nowhere/*.parquet")


def test_a_folder_or_pattern_without_a_parquet_file_is_named(tmp_path):
    written(tmp_path, "empty/readme.txt")
    with pytest.raises(InvalidArgument, match=r"empty', a folder with no Parquet file; .* end in .parquet, .parq, .pq"):
        list_files(tmp_path / "empty")
    with pytest.raises(InvalidArgument, match=r"\*.parquet', a pattern that no Parquet file matches"):
        list_files([f"{tmp_path}/empty/*.parquet"])


def test_a_uri_that_pyarrow_does_not_know_is_named():
    with pytest.raises(InvalidArgument, match=r"got 'ftp://host/a.parquet', which pyarrow cannot open: Unrecognized"):
        list_files("ftp://host/a.parquet")
