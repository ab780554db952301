"""`streamframes bursts`: its options without Spark, then from end to end on small files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.main import app
from streamframes.cli.options.bursts import ThresholdOptions, WindowOptions
from streamframes.cli.options.thresholds import thresholds_of
from streamframes.cli.options.windows import lengths_of
from streamframes.core.bursts.learning import Learn
from streamframes.errors import InvalidArgument, StreamFramesError


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("4:16:4", [4, 8, 12, 16]),
        ("4:15:4", [4, 8, 12]),
        ("1:3", [1, 2, 3]),
        ("7:7:5", [7]),
        ("10, 60,300", [10, 60, 300]),
        ("1:3,10:30:10", [1, 2, 3, 10, 20, 30]),
        ("10 seconds, 5 minutes", ["10 seconds", "5 minutes"]),
    ],
)
def test_windows_are_ranges_with_their_end_lists_and_durations(text, lengths):
    assert lengths_of(text) == lengths


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has an empty place; write them like '4:400:4' or '10,60,300'"),
        ("4,,8", "has an empty place"),
        ("4:8:2:1", "which is not start:stop:step of whole numbers"),
        ("1 second:9:1", "has '1 second:9:1', which is not start:stop:step"),
        ("4:8.5", "which is not start:stop:step"),
        ("8:4", "has '8:4', which holds no window"),
        ("0:4", "which holds no window"),
        ("4:8:0", "which holds no window"),
        ("1:99999999999", "more than 10,000,000 windows; use a larger step"),
        ("2.5", "a window is a whole number of rows"),
    ],
)
def test_windows_that_cannot_be_read_are_refused_with_an_example(text, message):
    with pytest.raises(InvalidArgument) as refused:
        lengths_of(text)
    assert message in str(refused.value)


def test_thresholds_are_pairs_or_grow_with_the_window_or_are_learnt():
    some = WindowOptions(windows="4:8:4")
    assert thresholds_of(ThresholdOptions(threshold=["60=9.5", "5 minutes=7"]), some) == {60: 9.5, "5 minutes": 7}
    assert list(thresholds_of(ThresholdOptions(threshold=["60=9", "4=7"]), some)) == [4, 60]
    assert thresholds_of(ThresholdOptions(threshold_per_row=3), some)(8) == 24
    assert thresholds_of(ThresholdOptions(threshold_per_row=3), WindowOptions("4:8:4", "avg"))(8) == 3
    assert thresholds_of(ThresholdOptions(train_rows=500), some) == Learn(sigmas=7, rows=500)
    assert thresholds_of(ThresholdOptions(sigmas=2.5), some) == Learn(sigmas=2.5, rows=10_000)
    assert thresholds_of(ThresholdOptions(thresholds="a.csv"), WindowOptions()) == {}


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Run the command on a file, without Spark; what it complains of."""

    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "t.csv", "t.txt"):
        Path(name).write_text("t\n1\n")
    return lambda *arguments: CliRunner().invoke(app, ["bursts", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x"], "give thresholds in exactly one way, not none: --threshold, --threshold-per-row, --thresholds"),
        (["x", "--threshold", "4=1", "--train-rows", "9"], "not --threshold and --train-rows"),
        (["x", "--train-rows", "9"], "--train-rows needs windows; give them, like --windows 4:400:4"),
        (["x", "--threshold-per-row", "9"], "--threshold-per-row needs windows"),
        (["x", "--threshold", "4"], "--threshold '4' is not a window and a number; write it like '60=9000'"),
        (["x", "--threshold", "4=1", "--threshold", "4=2"], "--threshold names a window twice"),
        (["x", "--threshold", "4.5=1"], "--threshold '4.5=1' has '4.5'; a window is a whole number of rows"),
        (["x", "--windows", "8:4", "--train-rows", "9"], "'8:4', which holds no window"),
        (["x", "--windows", "4", "--train-rows", "0"], "Learn() got rows=0"),
        (["--threshold", "4=1"], "--agg sum needs VALUE, a column or an expression; write it after INPUT"),
        (["--threshold", "4=1", "--agg", "count"], "--agg count needs VALUE, the condition that is counted, or --unit"),
        (["x", "--threshold", "4=1", "--search", "exact", "--error", "0.1"], "--error belongs to --search all"),
        (["x", "--threshold", "4=1", "--show", "thresholds"], "--show thresholds shows what is learnt"),
        (["x", "--threshold", "4=1", "--thresholds-format", "csv"], "--thresholds-format belongs to --thresholds FILE"),
        (["x", "--thresholds", "t.txt"], "--thresholds 't.txt' does not end in one of .parquet"),
        (["x", "--threshold", "4=1", "--first", "0"], "--first 0 must be at least 1"),
        (["x", "--threshold", "4=1", "--plot", "a.jpg"], "end it in one of .png, .svg, .html"),
        (
            ["x", "--windows", "4", "--train-rows", "9", "--show", "thresholds", "--plot", "a.png"],
            "--plot draws alarms, and --show thresholds asks for none",
        ),
        (
            ["x", "--threshold", "4=1", "--plot", "a.png", "-o", "a.csv", "--overwrite"],
            "--output a.csv replaces INPUT, which --plot still reads",
        ),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(refused, arguments, message):
    result = refused("a.csv", *arguments, "--ts", "t")
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1


def test_help_names_the_ways_to_thresholds_and_the_searches(refused):
    result = refused("--help").stdout
    for name in ("--windows", "--thresholds", "--train-rows", "--sigmas", "--threshold-per-row", "--search", "--plot"):
        assert name in result


def test_a_missing_file_of_thresholds_is_named_before_spark_starts(refused):
    result = refused("a.csv", "x", "--ts", "t", "--thresholds", "nix.csv")
    assert (result.exit_code, result.stderr) == (1, "streamframes: cannot read nix.csv: no such file or folder\n")


SERIES = {"a": [1, 9, 9, 0, 0, 0, 2, 9], "b": [9, 0, 0, 0, 0, 0, 0, 0]}
BOTH = ["--ts", "t", "--by", "car", "--threshold", "1=9", "--threshold", "3=12"]


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Search the rows of a small file, in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    rows = [{"car": car, "t": t, "x": x} for car, values in SERIES.items() for t, x in enumerate(values)]
    Path("rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lambda *arguments: CliRunner().invoke(app, ["bursts", "rows.json", *arguments])


def lines(result):
    """The cells of what was printed, without the heading."""
    assert result.exit_code == 0, result.stderr
    return [line.split() for line in result.stdout.splitlines()[2:]]


@pytest.mark.spark
def test_alarms_are_printed_in_order(run):
    result = run("x", *BOTH, "--first", "3")
    assert lines(result) == [["a", "1", "1", "9", "9"], ["a", "2", "1", "9", "9"], ["a", "2", "3", "19", "12"]]
    assert result.stderr == "The first 3 of 6 alarms; --output PATH writes all of them.\n"


@pytest.mark.spark
def test_runs_are_frames_and_the_picture_shows_the_group_with_most(run):
    result = run("x", *BOTH, "--show", "runs", "--prefix", "my_", "--plot", "p.html")
    assert result.stdout.splitlines()[0].split()[:3] == ["car", "my_start", "my_end"]
    assert [line[:4] for line in lines(result)] == [
        ["a", "1", "2", "2"], ["a", "2", "3", "2"], ["a", "7", "7", "1"], ["b", "0", "0", "1"],
    ]  # fmt: skip
    assert result.stderr == "4 runs.\nPicture: p.html\n"
    assert "<h1>x of car a</h1>" in Path("p.html").read_text()


@pytest.mark.spark
def test_thresholds_are_learnt_written_and_used_again(run):
    learning = ["x", "--ts", "t", "--by", "car", "--windows", "1:2", "--train-rows", "4", "--sigmas", "1"]
    result = run(*learning, "--show", "thresholds", "-o", "t.csv")
    assert result.stderr.startswith("Wrote 4 thresholds to t.csv in "), result.stderr
    assert Path("t.csv").read_text().splitlines()[0] == "car,window,threshold"
    again = run("x", "--ts", "t", "--by", "car", "--thresholds", "t.csv", "--show", "any")
    assert [cells[:2] for cells in lines(again)] == [["a", "2"], ["b", "0"], ["b", "1"]]
    assert again.stderr == "3 rows with alarms.\n"


@pytest.mark.spark
def test_rows_are_counted_by_unit_and_explain_runs_nothing(run):
    counting = ["--agg", "count", "--ts", "t", "--unit", "2", "--windows", "1,3", "--threshold-per-row", "4"]
    result = run(*counting, "--show", "latest", "--plot", "p.png")
    assert [cells[:3] for cells in lines(result)] == [
        ["0", "1", "1"],
        ["2", "1", "1"],
        ["4", "2", "3"],
        ["6", "2", "3"],
    ]
    assert Path("p.png").read_bytes()[:4] == b"\x89PNG"
    explained = run(*counting, "--explain")
    assert explained.stdout.startswith("bursts count over 2 windows from 1 to 3")
    assert explained.stderr == ""


@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["nope", *BOTH], 2, "`nope` cannot be resolved"),
        (["x", *BOTH, "--windows", "1,2"], 2, "without one for the window 2"),
        (["x", *BOTH, "--unit", "1 minute"], 2, "has a unit but ts is an integer"),
        (["x - 5", *BOTH, "--search", "all"], 1, "cannot find the bursts: "),
        (["x", *BOTH, "--plot", "p.png", "--plot-group", "z"], 1, "--plot finds no values of x in car z"),
        (["x", *BOTH, "--plot", "p.png", "--plot-value", "nope"], 2, "--plot-value nope cannot be evaluated"),
        (["x", "--ts", "t", "--by", "car", "--thresholds", "rows.json"], 2, "table of thresholds without 'window'"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(run, arguments, status, message):
    result = run(*arguments)
    assert result.exit_code == status
    assert message in result.stderr
    assert result.stderr.splitlines()[-1].startswith("streamframes: ")
    assert "Traceback" not in result.stderr
