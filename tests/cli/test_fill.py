"""`streamframes fill` from end to end, on small files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from streamframes.cli.main import app

pytestmark = pytest.mark.spark

# Car a is fast from 2 to 4 and from 8 on, car b at 1.
CARS = "car,t,speed\na,1,10\na,2,50\na,4,60\na,6,10\na,8,70\na,9,70\nb,1,55\n"
# Calls of the same cars, whose numbers are longer and whose column has another name.
CALLS = [("a", 1, "x"), ("a", 4, "y"), ("a", 5, "z"), ("b", 1, "x"), ("b", 4, "y"), ("c", 2, "x")]
FAST = ["--ts", "t", "--by", "car", "--threshold", "speed > 40"]


@pytest.fixture
def run(spark, tmp_path, monkeypatch):
    """Fill the frames of cars with their calls, in a folder of its own, on the session of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("cars.csv").write_text(CARS)
    Path("calls.json").write_text("".join(json.dumps({"who": w, "at": t, "whom": x}) + "\n" for w, t, x in CALLS))

    def fill(*arguments):
        return CliRunner().invoke(app, ["fill", "cars.csv", "calls.json", *FAST, "--other-ts", "at", *arguments])

    return fill


def lines(result):
    """The cells of what was printed, without the heading."""
    assert result.exit_code == 0, result.stderr
    return [line.split() for line in result.stdout.splitlines()[2:]]


def test_frames_are_measured_by_the_rows_of_another_file_that_lie_in_them(run):
    result = run("--other-by", "car=who", "--before", "1", "--agg", "n=count(*)", "--agg", "whom=collect_list(whom)")
    assert lines(result) == [
        ["a", "1", "4", "2", "condition", "2", "x,", "y"],
        ["a", "7", "9", "2", "end", "of", "data", "0"],
        ["b", "0", "1", "1", "end", "of", "data", "1", "x"],
    ]
    assert result.stderr == "3 frames.\n"


def test_without_measures_the_rows_are_written_with_the_ids_of_their_frames(run):
    result = run("--other-by", "CAR=WHO", "--end", "my_end + 1", "--prefix", "my_", "-o", "rows.csv")
    assert result.exit_code == 0, result.stderr
    assert result.stderr.startswith("Wrote 3 rows to rows.csv in ")
    rows = [line.rsplit(",", 1)[0] for line in Path("rows.csv").read_text().splitlines()]
    assert rows == ["at,who,whom", "4,a,y", "5,a,z", "1,b,x"]


def test_one_stream_of_rows_fills_the_frames_of_all_groups_and_the_picture_marks_it(run):
    result = run(
        "--other-by", "", "--split", "3", "--drop-empty", "--agg", "n=count(*)", "--plot", "p.html",
        "--plot-group", "a", "--show", "2",
    )  # fmt: skip
    assert lines(result) == [["a", "2", "2", "2", "condition", "0", "1"], ["a", "3", "4", "2", "condition", "1", "2"]]
    assert result.stderr == "The first 2 of 3 frames; --output PATH writes all of them.\nPicture: p.html\n"
    assert "calls.json" in Path("p.html").read_text()


def test_explain_checks_and_prints_the_plan_only(run):
    result = run("--other-by", "car=who", "--before", "1", "--explain")
    assert result.stdout.startswith("frames Threshold(where='speed > 40')")
    assert result.stdout.splitlines()[-1] == "filled with calls.json by at: car = who, before='1'"
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "OTHER has no column 'car'; name one of its columns with --other-by: at, who, whom"),
        (["--other-by", "car=at"], "--other-by at is bigint, but --by car is string; add a column that fits"),
        (["--other-by", "", "--other-ts", "nope"], "OTHER has no column 'nope'; name one of its columns"),
        (["--other-by", "", "--before", "1 minute"], "before='1 minute' has a unit but ts is an integer"),
        (["--other-by", "", "--start", "nope"], "move() got start='nope', which Spark cannot evaluate"),
        (["--other-by", "", "--agg", "n=count(speed)"], "`speed` cannot be resolved (the columns are at, who, whom)"),
        (["--other-by", "", "--other-with", "at=1"], "--other-with names 'at', which is a column already"),
    ],
)
def test_what_cannot_work_is_one_line_on_stderr(run, arguments, message):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr
    assert result.stderr.startswith("streamframes: ")
    assert result.stderr.count("\n") == 1
