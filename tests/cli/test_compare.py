"""`streamframes compare`: its options without Spark, then from end to end on a small file, and its picture."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow as pa
import pytest
from typer.testing import CliRunner

import streamframes.cli.engine
from streamframes.cli.main import app
from streamframes.cli.options.compare import EpisodeOptions
from streamframes.cli.options.windows import given_lengths, ladder
from streamframes.cli.plots.comparison import draw
from streamframes.errors import InvalidArgument, StreamFramesError
from streamframes.study.report.comparison import COLUMNS


def test_plain_numbers_are_rows_and_all_else_is_time():
    found = given_lengths("20, 60 seconds,1 hour 30 minutes, 5:7")
    assert [(each.size, each.unit) for each in found] == [
        (20, "rows"), (60, "seconds"), (5400, "seconds"), (5, "rows"), (6, "rows"), (7, "rows"),
    ]  # fmt: skip
    assert str(found[0].window) == "Count(size=20)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("60 seconds,1 minute", "names a length twice"),
        ("0", "size=0"),
        ("5 parsecs", "unknown unit 'parsecs'"),
        ("0 seconds", "must be greater than zero"),
        ("2.5", "a window is a whole number of rows"),
    ],
)
def test_lengths_that_cannot_be_used_are_refused(text, message):
    with pytest.raises(InvalidArgument) as refused:
        given_lengths(text)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("median", "unit", "texts"),
    [
        (
            1600,
            "seconds",
            ["200 seconds", "400 seconds", "800 seconds", "1600 seconds", "3200 seconds", "6400 seconds"],
        ),
        (1, "rows", ["2 rows", "4 rows"]),
        (80, "rows", ["10 rows", "20 rows", "40 rows", "80 rows", "160 rows", "320 rows"]),
    ],
)
def test_a_ladder_goes_from_an_eighth_to_four_times_the_median(median, unit, texts):
    assert [each.text for each in ladder(median, unit)] == texts


def test_a_ladder_of_short_frames_is_in_milliseconds():
    assert [each.text for each in ladder(0.08, "seconds")][:2] == ["10 milliseconds", "20 milliseconds"]
    assert [each.text for each in ladder(0.000002, "seconds")] == ["1 milliseconds"]


def test_lengths_of_one_unit_are_numbers_in_the_picture_and_others_are_written_out(tmp_path):
    for text, shown in (("5,20", ["5", "20"]), ("5,1 minute", ["5 rows", "1 minute"])):
        lengths = given_lengths(text)
        figures = dict.fromkeys(COLUMNS, 1)
        rows = [{"window": each.text, "heuristic": h, **figures} for each in lengths for h in ("min", "max", "avg")]
        draw(pa.Table.from_pylist(rows), lengths, EpisodeOptions("x > 1"), tmp_path / "p.svg")
        drawn = (tmp_path / "p.svg").read_text()
        assert [f"<!-- {each} -->" in drawn for each in shown] == [True, True]


@pytest.fixture
def refused(monkeypatch, tmp_path):
    """Run the command on a file, without Spark; what it complains of."""

    def no_spark(master):
        raise StreamFramesError("Spark was started")

    monkeypatch.setattr(streamframes.cli.engine, "start", no_spark)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("t\n1\n")
    return lambda *arguments: CliRunner().invoke(app, ["compare", *arguments])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--windows", "5,,6"], "--windows '5,,6' has an empty place"),
        (["--windows", "5 parsecs"], "unknown unit 'parsecs'"),
        (["--min-rows", "0"], "min_rows=0"),
        (["--plot", "a.jpg"], "end it in one of .png, .svg, .html"),
        (["-o", "a.txt"], "give --output-format"),
    ],
)
def test_a_bad_argument_is_one_line_on_stderr_and_status_2(refused, arguments, message):
    result = refused("a.csv", "--ts", "t", "--threshold", "x > 1", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_an_output_that_exists_and_a_file_that_does_not_are_named_before_spark_starts(refused):
    result = refused("a.csv", "--ts", "t", "--threshold", "x > 1", "-o", "a.csv")
    assert (result.exit_code, result.stderr.count("exists already")) == (1, 1)
    result = refused("nix.csv", "--ts", "t", "--threshold", "x > 1")
    assert (result.exit_code, result.stderr) == (1, "streamframes: cannot read nix.csv: no such file or folder\n")


def test_help_names_the_episodes_and_the_windows(refused):
    result = refused("--help").stdout
    for name in ("--threshold", "--min-duration", "--min-rows", "--value", "--windows", "--plot", "--output"):
        assert name in result


# An episode of four rows, half a minute apart, and a row alone.
SPEEDS = [60, 60, 30, 30, 30, 30, 60, 60, 60, 60, 20, 60]
EPISODE = ["--ts", "t", "--by", "car", "--threshold", "speed < 40", "--min-rows", "2"]


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Compare the rows of a small file, in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    lines = [f"2026-01-05 00:{i // 2:02}:{i % 2 * 30:02},a,{x},0" for i, x in enumerate(SPEEDS)]
    Path("rows.csv").write_text("\n".join(["t,car,speed,limit", *lines]) + "\n")
    return lambda *arguments: CliRunner().invoke(app, ["compare", "rows.csv", *arguments])


@pytest.mark.spark
def test_the_table_is_printed_and_said_in_words(run):
    result = run(*EPISODE, "--windows", "1 minute,4")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert [line.split() for line in lines[2:8]] == [
        ["1", "minute", "min", "3", "2", "50", "0", "1"],
        ["1", "minute", "max", "2", "0", "0", "0", "0"],
        ["1", "minute", "avg", "2", "0", "0", "0", "0"],
        ["4", "rows", "min", "3", "8", "200", "0", "1"],
        ["4", "rows", "max", "0", "4", "100", "1", "0"],
        ["4", "rows", "avg", "0", "4", "100", "1", "0"],
    ]
    assert lines[8] == "Frames: 1, with 4 rows."
    closest, error = lines[9].split(": ")
    assert closest == "Windows of 1 minute selected by their max come closest"
    assert (
        error
        == "0 rows wrong (0.0 % of the rows in frames), 0 of 1 frames missed, 0 of 2 selected windows false alarms."
    )
    assert lines[10].startswith("Windows of 4 rows selected by their min are farthest off: 8 rows wrong (200.0 % of ")


@pytest.mark.spark
def test_lengths_are_found_around_the_median_frame_and_the_table_and_the_picture_are_written(run):
    result = run(*EPISODE, "--value", "speed", "--plot", "p.html", "-o", "c.csv")
    assert result.exit_code == 0, result.stderr
    with Path("c.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["length"]) for row in rows[::3]] == [11, 22, 45, 90, 180, 360]
    assert {row["unit"] for row in rows} == {"seconds"}
    assert result.stderr.splitlines()[0].startswith("Wrote 18 comparisons to c.csv in ")
    assert result.stderr.splitlines()[1:] == ["Picture: p.html"]
    assert "18 comparisons" in Path("p.html").read_text()


@pytest.mark.spark
@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--ts", "t", "--threshold", "speed < 4"], 1, "nothing to compare: no episode of 'speed < 4' is in the rows"),
        (
            ["--ts", "t", "--threshold", "speed < 40", "--min-rows", "9", "--windows", "5"],
            1,
            "no episode of 'speed < 40', min_rows=9 is in the rows",
        ),
        (["--ts", "nope", "--threshold", "speed < 40"], 2, "ts='nope', which is not a column"),
        (["--ts", "t", "--threshold", "speed < limit", "--windows", "5"], 2, "which names 2 columns"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(run, arguments, status, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (status, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
